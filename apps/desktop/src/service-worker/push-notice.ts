/** All that a push message says. */
export interface Call {
  readonly agent: string;
  readonly reason: string;
}

/** Below the page's folder: one registration for each agent, because each has a key of its own to subscribe for. */
const FOLDER = 'push/';
const WORDS: Readonly<Record<string, string>> = {
  permission: 'asks for permission',
  question: 'asks you something',
  failed: 'failed in its turn',
  offline: 'stopped by itself',
  ended: 'ended its turn',
  test: 'can call this device',
};

/** The agent whose calls a registration gets; undefined for the page's own. Pure. */
export function agentOfScope(scope: string, page: string): string | undefined {
  if (!scope.startsWith(page + FOLDER)) return undefined;
  return /^([0-9a-f]{64})\/$/.exec(scope.slice(page.length + FOLDER.length))?.[1];
}

/** What a message says, if it is one of `agent`; another's, or anything else, is not believed. Pure. */
export function readMessage(text: string | undefined, agent: string): Call | undefined {
  try {
    const said = JSON.parse(text ?? '') as { agent?: unknown; reason?: unknown } | null;
    const isKnown = typeof said?.reason === 'string' && Object.hasOwn(WORDS, said.reason);
    return isKnown && said.agent === agent ? { agent, reason: said.reason as string } : undefined;
  } catch {
    return undefined;
  }
}

/** The words of a notification: who and what, nothing an agent said. Pure. */
export function noticeTitle(call: Call | undefined, name: string | undefined): string {
  const who = name === undefined || name === '' ? 'An agent' : name;
  return `${who} ${WORDS[call?.reason ?? ''] ?? 'calls you'}`;
}

/** The address that opens the page where it was called from; the page reads the same. Pure. */
export function pageFor(page: string, call: Call | undefined): string {
  return call === undefined ? page : `${page}#agent=${call.agent}&reason=${call.reason}`;
}

/** Whether an address is that of the page in this folder, and not of something else below it. Pure. */
export function isPage(url: string, page: string): boolean {
  const { origin, pathname } = new URL(url);
  const at = `${origin}${pathname}`;
  return at === page || at === `${page}index.html`;
}
