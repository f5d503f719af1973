import { hideSecretArgs, hideSecrets } from '../mirror/secret-shapes.ts';
import type { RpcAnswer } from './acp-client.ts';
import type { ProcessExit } from './agent-process.ts';
import { quirksOf } from './agent-quirks.ts';

/** Why an agent did not come to the point where it takes prompts, in a sentence. */
export interface StartFailure {
  readonly code: 'spawn' | 'exited' | 'timeout' | 'auth' | 'refused' | 'unsupported';
  readonly message: string;
  /** The agent's own JSON-RPC code. */
  readonly rpcCode?: number;
}

/** How the agent is named in sentences. */
export interface AgentName {
  readonly command: readonly string[];
  readonly cwd: string;
}

/** A command line in sentences, which people paste into reports. */
function inWords({ command }: AgentName): string {
  return hideSecretArgs(command).join(' ');
}

/** JSON-RPC codes that mean "log in first": ACP's own, a relative's, and the HTTP status some agents put there. */
const AUTH_CODES = [-32000, -32001, 401, 403];
/** An HTTP status that stands as one: a bare 401 may be a line number. */
const AUTH_STATUS =
  /\b(?:http|(?:http_?)?status(?:_?code)?|code|error)\b\W{0,4}(?:code|status)?\W{0,4}40[13]\b|\b40[13]\W{1,4}(?:unauthori[sz]ed|forbidden|invalid|incorrect|authentication)/i;
const AUTH_WORDS = /\binvalid api key\b|\bunauthenticated\b|\bauthentication required\b|\bnot logged in\b/i;
const MAX_SEARCHED = 16_384;

/** Whether an error says that the agent's own login is missing or over: by its code, or by an HTTP status in text or data. */
export function isAuthError(answer: RpcAnswer): boolean {
  if (answer.type !== 'error') return false;
  if (answer.code !== undefined && AUTH_CODES.includes(answer.code)) return true;
  return saysLoginRefused(`${answer.message} ${JSON.stringify(answer.data) ?? ''}`);
}

/** Whether words tell of a login that is missing or refused, by their first 16,384 characters. */
export function saysLoginRefused(words: string): boolean {
  const searched = words.slice(0, MAX_SEARCHED);
  return AUTH_STATUS.test(searched) || AUTH_WORDS.test(searched);
}

/** What mends a missing login, with the ways the agent itself offers. */
export function authHint({ command }: AgentName, initializeResult: unknown): string {
  const methods = (initializeResult as { authMethods?: unknown } | null | undefined)?.authMethods;
  const names = Array.isArray(methods)
    ? methods.map((method: { name?: unknown } | null) => method?.name).filter((name) => typeof name === 'string')
    : [];
  const offered = names.length > 0 ? ` (it offers: ${names.slice(0, 5).join(', ')})` : '';
  const { login } = quirksOf(initializeResult, command);
  const how = login === undefined ? "with the agent's own command" : `with \`${login}\``;
  return `log in ${how} on this machine${offered}, or set its API key in the environment, then start ${command[0]} again`;
}

export function describeExit({ code, signal }: ProcessExit): string {
  return signal !== null ? `was ended by ${signal}` : `exited with code ${code}`;
}

/** The sentence for an agent that went away before it was ready. */
export function exitedEarly(agent: AgentName, exit: ProcessExit, step: string, stderr: string): StartFailure {
  const words = stderr === '' ? 'It wrote nothing to stderr.' : `Its last words on stderr: ${stderr}`;
  const message = `the agent "${inWords(agent)}" ${describeExit(exit)} before it answered ${step}. ${words} Run that command in ${agent.cwd} to see why.`;
  return { code: 'exited', message };
}

/** The sentence for an agent that says nothing. */
export function tooSlow(agent: AgentName, step: string, timeoutMs: number, heardBytes: number): StartFailure {
  const heard = heardBytes > 0 ? `it wrote ${heardBytes} bytes that are no answer` : 'it wrote nothing';
  const message = `the agent "${inWords(agent)}" did not answer ${step} within ${Math.round(timeoutMs / 1_000)} s (${heard}). Is it an ACP agent, and does its command line say so (gemini needs --acp, goose needs acp)?`;
  return { code: 'timeout', message };
}

/** The sentence for an agent that answers with an error. */
export function refusedStart(
  agent: AgentName,
  step: string,
  answer: Extract<RpcAnswer, { type: 'error' }>,
  initializeResult: unknown,
): StartFailure {
  const rpcCode = answer.code !== undefined ? { rpcCode: answer.code } : {};
  const words = hideSecrets(answer.message);
  if (isAuthError(answer)) {
    const hint = authHint(agent, initializeResult);
    return { code: 'auth', message: `the agent is not logged in (${words}): ${hint}`, ...rpcCode };
  }
  const message = `the agent "${inWords(agent)}" refused ${step}: ${words} (code ${answer.code ?? 'none'})`;
  return { code: 'refused', message, ...rpcCode };
}
