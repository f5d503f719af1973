import { randomUUID } from 'node:crypto';
import { isAbsolute } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { createPeer, RpcFailure, rpcCode } from './peer.ts';
import { chooseScene, namedScenes, oneLine } from './scenes.ts';
import { type Session, sessionModes } from './session.ts';
import { createStage } from './stage.ts';

type Params = Record<string, unknown>;

export interface DemoAgentOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly version: string;
  /** The time between two pieces of streamed text. */
  readonly beatMs?: number;
}

/** Runs a scripted ACP v1 agent over two streams until the input ends. It says in every turn that it is a demo. */
export async function runDemoAgent({ input, output, version, beatMs = 35 }: DemoAgentOptions): Promise<void> {
  const sessions = new Map<string, Session>();
  const requests: Record<string, (params: Params) => unknown> = {
    initialize: () => ({
      protocolVersion: 1,
      agentCapabilities: {
        loadSession: false,
        promptCapabilities: { image: false, audio: false, embeddedContext: false },
      },
      agentInfo: { name: 'heliograph-demo', title: 'Heliograph demo agent', version },
      authMethods: [],
    }),
    'session/new': openSession,
    'session/set_mode': setMode,
    'session/prompt': prompt,
  };

  const peer = createPeer(input, output, {
    async request(method, params) {
      const handle = requests[method];
      if (!handle) throw new RpcFailure(rpcCode.noMethod, `the demo agent has no method ${method}`);
      return handle(params);
    },
    notification(method, params) {
      if (method === 'session/cancel') sessions.get(String(params.sessionId))?.running?.abort();
    },
  });

  function openSession(params: Params) {
    const cwd = params.cwd;
    if (typeof cwd !== 'string' || !isAbsolute(cwd))
      throw new RpcFailure(rpcCode.badParams, 'cwd must be an absolute path');
    const session: Session = {
      id: randomUUID(),
      cwd,
      mode: 'ask',
      editsAllowed: false,
      turns: 0,
      usedTokens: 0,
      running: undefined,
    };
    sessions.set(session.id, session);
    const availableCommands = namedScenes.map(({ name, description }) => ({ name, description }));
    setImmediate(() => tell(session, { sessionUpdate: 'available_commands_update', availableCommands }));
    return { sessionId: session.id, modes: { currentModeId: session.mode, availableModes: sessionModes } };
  }

  function setMode(params: Params) {
    const session = findSession(params);
    const mode = sessionModes.find(({ id }) => id === params.modeId);
    if (!mode)
      throw new RpcFailure(rpcCode.badParams, `modeId must be one of ${sessionModes.map(({ id }) => id).join(', ')}`);
    session.mode = mode.id;
    tell(session, { sessionUpdate: 'current_mode_update', currentModeId: mode.id });
    return {};
  }

  async function prompt(params: Params) {
    const session = findSession(params);
    if (session.running) throw new RpcFailure(rpcCode.badRequest, 'a prompt is already running in this session');
    const text = promptText(params.prompt);
    const turn = new AbortController();
    session.running = turn;
    session.turns += 1;
    if (session.turns === 1) tell(session, { sessionUpdate: 'session_info_update', title: `Demo: ${oneLine(text)}` });
    try {
      await chooseScene(text)(createStage(peer, session, turn.signal, beatMs), text);
      return { stopReason: 'end_turn' };
    } catch (error) {
      if (turn.signal.aborted) return { stopReason: 'cancelled' };
      throw error;
    } finally {
      session.running = undefined;
    }
  }

  function findSession(params: Params): Session {
    const session = sessions.get(String(params.sessionId));
    if (!session) throw new RpcFailure(rpcCode.notFound, 'no session has this sessionId');
    return session;
  }

  function tell(session: Session, update: object) {
    peer.notify('session/update', { sessionId: session.id, update });
  }

  await peer.ended;
  for (const session of sessions.values()) session.running?.abort();
}

function promptText(blocks: unknown): string {
  if (!Array.isArray(blocks)) throw new RpcFailure(rpcCode.badParams, 'prompt must be an array of content blocks');
  return blocks
    .map((block: { text?: unknown } | null) => (typeof block?.text === 'string' ? block.text : ''))
    .join(' ');
}
