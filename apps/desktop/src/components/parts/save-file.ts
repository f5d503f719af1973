/** Hands a file to the browser's downloads; `parts` are written one after the other, text as UTF-8. */
export function saveFile(
  name: string,
  parts: readonly (string | Uint8Array<ArrayBuffer>)[],
  type = 'text/plain',
): void {
  const url = URL.createObjectURL(new Blob([...parts], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download holds the blob by then; a minute is more than any browser needs to begin it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
