/** One conversation with the demo agent. */
export interface Session {
  readonly id: string;
  /** The folder the scratch file lives in, absolute. */
  readonly cwd: string;
  mode: 'ask' | 'auto';
  /** Whether an edit was once allowed for good. */
  editsAllowed: boolean;
  turns: number;
  usedTokens: number;
  /** Aborts the turn that is running, if one is. */
  running: AbortController | undefined;
}

/** What `session/new` says about the two modes. */
export const sessionModes = [
  { id: 'ask', name: 'Ask', description: 'Asks before it edits the scratch file' },
  { id: 'auto', name: 'Auto', description: 'Edits the scratch file without asking' },
] as const;

export const contextSize = 32_000;
