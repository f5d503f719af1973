/** What one agent does unlike the others. */
export interface AgentQuirks {
  /** The command that mends a missing login. */
  readonly login?: string;
  /** Loading a session within the clock minute of its creation destroys it. */
  readonly loadsNextMinute?: boolean;
  /** Loading a session that was loaded before destroys it. */
  readonly loadsOnce?: boolean;
  /** Answers session/load before it has repeated everything. */
  readonly repeatsAfterAnswer?: boolean;
}

/** The one place where agents differ by name: the part of `agentInfo.name` (or of the command's name) that tells them. */
const TABLE: readonly (readonly [string, AgentQuirks])[] = [
  ['claude', { login: 'claude /login' }],
  ['codex', { login: 'codex login' }],
  ['gemini', { login: 'gemini (then /auth)', loadsNextMinute: true, loadsOnce: true, repeatsAfterAnswer: true }],
  ['opencode', { login: 'opencode auth login' }],
  ['goose', { login: 'goose configure' }],
  ['qwen', { login: 'qwen (then /auth)' }],
  ['kilo', { login: 'kilo auth login' }],
  ['cline', { login: 'cline auth' }],
  ['pi-acp', { login: 'pi (then /login)' }],
];

const PLAIN: AgentQuirks = {};

/** The quirks of the agent that says it is `initializeResult.agentInfo.name`, or that `command` starts. */
export function quirksOf(initializeResult: unknown, command: readonly string[]): AgentQuirks {
  const said = agentName(initializeResult);
  const name = (typeof said === 'string' ? said : (command[0]?.split('/').at(-1) ?? '')).toLowerCase();
  return TABLE.find(([part]) => name.includes(part))?.[1] ?? PLAIN;
}

/** What the agent calls itself in its answer to initialize, undefined where it says nothing. */
export function agentName(initializeResult: unknown): string | undefined {
  const name = (initializeResult as { agentInfo?: { name?: unknown } } | null | undefined)?.agentInfo?.name;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
