/** A file's name out of words, of letters and digits that every system takes; `otherwise` where none is left. Pure. */
export function fileNameOf(words: string, otherwise: string): string {
  const plain = words
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, '');
  return plain === '' ? otherwise : plain;
}

const MAX_LENGTH = 40;
