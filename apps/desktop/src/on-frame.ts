/** A page out of sight is not painted: it takes its news a few times a second. */
const HIDDEN_MS = 250;

/** Calls back before the next paint, or soon when the page is out of sight. */
export function onFrame(fire: () => void): void {
  if (document.visibilityState === 'hidden') setTimeout(fire, HIDDEN_MS);
  else {
    // A page that is hidden between the two would wait for a paint that does not come.
    let isDone = false;
    const once = () => {
      if (!isDone) fire();
      isDone = true;
    };
    requestAnimationFrame(once);
    setTimeout(once, HIDDEN_MS);
  }
}
