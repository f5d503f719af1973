/** What a session can be saved as from its page. */
export const SAVE_FORMATS = ['markdown', 'html', 'jsonl'] as const;
export type SaveFormat = (typeof SAVE_FORMATS)[number];
