/** A page out of sight is not painted: it takes its news a few times a second. */
const HIDDEN_MS = 250;

/**
 * Calls `act` before the next paint, or soon when the page is out of sight, and `done` once what came of it is painted, with
 * the ms that took; also where `act` throws.
 */
export function onFrame(act: () => void, done: (tookMs: number) => void): void {
  // A page that is hidden between the two would wait for a paint that does not come.
  let isDone = false;
  const once = () => {
    if (isDone) return;
    isDone = true;
    const startMs = performance.now();
    // Style, layout and paint follow in the same task.
    setTimeout(() => done(performance.now() - startMs));
    act();
  };
  if (document.visibilityState === 'visible') requestAnimationFrame(once);
  setTimeout(once, HIDDEN_MS);
}
