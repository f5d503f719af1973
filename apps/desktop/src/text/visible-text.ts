/** A stretch of text that can be shown as it is, or (`code`) one character that would not be seen or would reorder others. */
export interface TextRun {
  readonly text: string;
  readonly code?: string;
}

// Controls, format characters (bidi, zero-width, tags), odd spaces, fillers that draw nothing, lone surrogates. Plain space
// and the selector that makes a picture of a sign (U+FE0F) are no disguise.
const UNSEEN = /(?! |\ufe0f)[\p{Cc}\p{Cf}\p{Z}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Cuts text so that every character which hides, reorders or imitates a space stands alone with its code (`U+202E`). Line
 * feeds and tabs pass when `multiline`; what agents write is shown as what it is, not as what it wants to look like.
 */
export function toTextRuns(text: string, multiline: boolean): readonly TextRun[] {
  const runs: TextRun[] = [];
  let from = 0;
  for (const match of text.matchAll(UNSEEN)) {
    const character = match[0];
    if (multiline && (character === '\n' || character === '\t')) continue;
    if (match.index > from) runs.push({ text: text.slice(from, match.index) });
    const point = character.codePointAt(0) ?? 0;
    runs.push({ text: character, code: `U+${point.toString(16).toUpperCase().padStart(4, '0')}` });
    from = match.index + character.length;
  }
  if (from < text.length) runs.push({ text: text.slice(from) });
  return runs;
}

/** One line of plain text for titles and attributes: unseen characters become their codes, at most `max` characters. */
export function toPlainLine(text: string, max = 400): string {
  const line = toTextRuns(text.slice(0, max + 1), false)
    .map((run) => (run.code === undefined ? run.text : run.code === 'U+000A' ? ' ' : `⟨${run.code}⟩`))
    .join('');
  return text.length > max ? `${line.slice(0, max)}…` : line;
}
