/** Characters shown of one text; what is cut stands in the archive's JSONL. */
export const MAX_SHOWN = 65_536;

// Controls, format characters (bidi, zero-width, tags), odd spaces, fillers that draw nothing, lone surrogates.
const UNSEEN = /(?! |\ufe0f|\n|\t)[\p{Cc}\p{Cf}\p{Z}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}]/gu;
const ESC = '\\u{1b}';
const COLOURS = new RegExp(`${ESC}\\[[0-9;:]*m`, 'gu');

/** Text as what it is: colours left out, and every character that hides or reorders others as its code (`⟨U+202E⟩`). */
export function plainText(text: string): string {
  const looked = text.length > MAX_SHOWN ? text.slice(0, MAX_SHOWN) : text;
  const shown = looked
    .replace(COLOURS, '')
    .replaceAll('\r\n', '\n')
    .replace(UNSEEN, (character) => {
      const point = character.codePointAt(0) ?? 0;
      return `⟨U+${point.toString(16).toUpperCase().padStart(4, '0')}⟩`;
    });
  return text.length > MAX_SHOWN ? `${shown}\n… ${text.length - MAX_SHOWN} more characters are left out here` : shown;
}

/** The same as one line of at most `max` characters. */
export function plainLine(text: string, max = 400): string {
  const line = plainText(text.slice(0, max + 1))
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > max ? `${line.slice(0, max)}…` : line;
}
