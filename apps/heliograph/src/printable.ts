/** Agents' text on a terminal: one line of at most 240 characters, and none that control or hide. */
export function printable(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '�')
    .slice(0, 240);
}
