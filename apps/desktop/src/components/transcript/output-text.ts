/** The text inside the one code fence that some agents put around a command's output; any other text as it is. */
export function toOutputText(text: string): string {
  return /^\s*(`{3,})[^\n`]*\n([\s\S]*?)\n?\1\s*$/.exec(text)?.[2] ?? text;
}
