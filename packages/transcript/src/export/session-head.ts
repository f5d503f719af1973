/** What the head of an exported session says; what is not known is left out. */
export interface SessionHead {
  /** Public key as people know it (`npub1…`), and the agent's name. */
  readonly agent: string;
  readonly agentName: string | undefined;
  readonly title: string | undefined;
  readonly channelId: string;
  readonly sessionId: string | undefined;
  readonly cwd: string | undefined;
  readonly model: string | undefined;
  /** Where the text is from and what it proves, as a sentence. */
  readonly source: string;
}

/** The head as rows of a name and a value, for people. */
export function headRows(head: SessionHead): readonly (readonly [name: string, value: string])[] {
  const { agent, agentName, sessionId, channelId, cwd, model, source } = head;
  const rows: (readonly [string, string | undefined])[] = [
    ['Agent', agentName === undefined ? agent : `${agentName} (${agent})`],
    ['Session', sessionId ?? channelId],
    ['Folder', cwd],
    ['Model', model],
    ['Source', source],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
