/** Hands a file to the browser's downloads. */
export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download holds the blob by then; a minute is more than any browser needs to begin it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
