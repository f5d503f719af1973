/** Versions of ACP this harness speaks: 2 is a draft, spoken only when it is asked for. */
export type AcpVersion = 1 | 2;

type Members = Readonly<Record<string, unknown>>;

/** Who we are and what we can do, as `initialize` of either version says it. Pure. */
export function initializeParams(acp: AcpVersion, version: string): object {
  const info = { name: 'heliograph', title: 'Heliograph', version };
  // A page to visit is shown too where an agent asks for one, but no agent should count on it being visited.
  const elicitation = { form: {} };
  // goose tells what it uses to clients that say so.
  const _meta = { goose: { customNotifications: true } };
  if (acp === 2) return { protocolVersion: 2, info, capabilities: { elicitation, _meta } };
  return {
    protocolVersion: 1,
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      elicitation,
      _meta,
    },
    clientInfo: info,
  };
}

/** The version an agent chose, undefined where it is none of ours or newer than what was asked for. Pure. */
export function chosenVersion(initializeResult: unknown, asked: AcpVersion): AcpVersion | undefined {
  const { protocolVersion } = membersOf(initializeResult);
  return protocolVersion === 1 || (protocolVersion === 2 && asked === 2) ? protocolVersion : undefined;
}

/**
 * An answer to `initialize` in the members of version 1, whatever its version: what the harness asks of an agent's abilities
 * has one shape. In version 2 session/resume and session/close are always there, and abilities are objects. Pure.
 */
export function asVersion1(initializeResult: unknown): unknown {
  const said = membersOf(initializeResult);
  if (said.protocolVersion !== 2) return initializeResult;
  const { info, capabilities, ...rest } = said;
  const { session, _meta } = membersOf(capabilities);
  const prompt = membersOf(membersOf(session).prompt);
  const takes = Object.fromEntries(
    ['image', 'audio', 'embeddedContext'].map((name) => [name, prompt[name] !== undefined && prompt[name] !== null]),
  );
  return {
    ...rest,
    agentInfo: info,
    agentCapabilities: {
      promptCapabilities: takes,
      sessionCapabilities: { ...membersOf(session), resume: {}, close: {} },
      _meta,
    },
  };
}

/** A permission request's parameters with the call they are about where version 1 has it. Pure. */
export function permissionParams(params: unknown): unknown {
  const said = membersOf(params);
  const subject = membersOf(said.subject);
  if (said.toolCall !== undefined || said.subject === undefined) return params;
  if (subject.type !== 'command') return { ...said, toolCall: subject.toolCall };
  const { command, cwd, toolCallId } = subject;
  return { ...said, toolCall: { toolCallId, kind: 'execute', rawInput: { command, cwd } } };
}

/** What a `state_update` says of the session: `idle` with why and what it cost; undefined for states that are not known. Pure. */
export function readState(update: unknown):
  | { readonly type: 'busy' }
  | {
      readonly type: 'idle';
      readonly stopReason: string | null;
      readonly usage: unknown;
      readonly error: string | undefined;
    }
  | undefined {
  const { sessionUpdate, state, stopReason, usage, error } = membersOf(update);
  if (sessionUpdate !== 'state_update') return undefined;
  if (state === 'running' || state === 'requires_action') return { type: 'busy' };
  if (state !== 'idle') return undefined;
  const { message } = membersOf(error);
  return {
    type: 'idle',
    stopReason: typeof stopReason === 'string' ? stopReason : null,
    usage,
    error: typeof message === 'string' ? message : undefined,
  };
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}
