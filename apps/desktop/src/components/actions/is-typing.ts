/** Whether a key press belongs to what it was made in, or to a dialog: then it is no command to the page. */
export function isTyping(target: EventTarget | null): boolean {
  const isField =
    target instanceof Element &&
    target.closest('input:not([type="range"]), textarea, select, [contenteditable]') !== null;
  return isField || document.querySelector('dialog[open], [data-popover-open]') !== null;
}
