/**
 * Puts a text on the clipboard, from a press. Where browsers withhold their interface for it (plain http) the older way is
 * taken: a `copy` event that is answered with the text. `near`: an element in the same dialog. False where neither works.
 */
export async function copyText(text: string, near: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByEvent(text, near);
  }
}

/** The text is never in the document: what is selected is a space. */
function copyByEvent(text: string, near: Element): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = ' ';
  field.readOnly = true;
  field.className = 'sr-only';
  let isTaken = false;
  const answer = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    isTaken = event.clipboardData !== null;
  };
  // What is outside of an open dialog can't be selected.
  (near.parentElement ?? document.body).append(field);
  document.addEventListener('copy', answer, true);
  field.select();
  document.execCommand('copy');
  document.removeEventListener('copy', answer, true);
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isTaken;
}
