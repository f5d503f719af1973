/** How this page is put on a device where its browser makes no offer of it, by the browser's own word for itself. Pure. */
export function installHint(userAgent: string): string {
  const is = (pattern: RegExp) => pattern.test(userAgent);
  if (is(/iPhone|iPad|iPod/)) return 'Press the share button, then “Add to Home Screen”.';
  if (is(/Android/)) {
    if (is(/Firefox\//)) return 'Open the menu (⋮), then “Add app to Home screen”.';
    if (is(/SamsungBrowser\//)) return 'Open the menu (≡), then “Add page to”, “Home screen”.';
    return 'Open the menu (⋮), then “Add to Home screen”.';
  }
  if (is(/Firefox\//)) return 'Firefox installs no pages on computers: Chrome, Edge and Safari do.';
  if (is(/Edg\//)) return 'Open the menu (…), then “Apps”, “Install this site as an app”.';
  if (is(/Chrome\//)) return 'Open the menu (⋮), then “Cast, save and share”, “Install page as app”.';
  if (is(/Macintosh.*Safari\//)) return 'In the menu bar choose “File”, “Add to Dock”.';
  return 'Where this browser can install pages, its own menu says so.';
}
