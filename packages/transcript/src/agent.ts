import { readInitialize } from './config.ts';
import { asObject, finite, list, parseObject, text } from './json.ts';
import { readLine } from './lines.ts';
import type { LogEvent } from './log-event.ts';
import type { AgentState } from './model.ts';

const MAX_STDERR_TAIL = 8_192;

/** An agent nothing is known of. */
export function blankAgent(run: string | undefined): AgentState {
  return {
    run,
    agentName: undefined,
    agentVersion: undefined,
    command: [],
    cwd: undefined,
    host: undefined,
    version: undefined,
    process: 'starting',
    stderrTail: '',
  };
}

/** The agent's state with one more event of its harness stream; events that say nothing of it leave the value as it is. */
export function reduceAgent(state: AgentState, event: LogEvent): AgentState {
  switch (event.kind) {
    case 'harness_started': {
      const payload = parseObject(event.payload);
      const command = text(payload, 'agentCommand');
      const args = (list(payload, 'agentArgs') ?? []).filter((arg) => typeof arg === 'string');
      return {
        ...state,
        command: command === undefined ? state.command : [command, ...args],
        cwd: text(payload, 'cwd') ?? state.cwd,
        host: text(payload, 'host') ?? state.host,
        version: text(payload, 'version') ?? state.version,
      };
    }
    case 'agent_initialized':
      return initialized(state, parseObject(event.payload)?.initializeResult);
    case 'agent_exited':
      return exited(state, event);
    case 'agent_stderr': {
      const said = text(parseObject(event.payload), 'text') ?? '';
      return said === '' ? state : { ...state, stderrTail: (state.stderrTail + said).slice(-MAX_STDERR_TAIL) };
    }
    case 'acp_write':
      return state.process === 'exited' && isInitialize(event) ? { ...state, process: 'starting' } : state;
    default:
      return state;
  }
}

function initialized(state: AgentState, result: unknown): AgentState {
  const { agentName, agentVersion } = readInitialize(asObject(result));
  return {
    ...state,
    agentName: agentName ?? state.agentName,
    agentVersion: agentVersion ?? state.agentVersion,
    process: 'running',
  };
}

function exited(state: AgentState, event: LogEvent): AgentState {
  const payload = parseObject(event.payload);
  const exit = {
    code: finite(payload, 'code'),
    signal: text(payload, 'signal'),
    expected: payload?.expected === true,
  };
  return { ...state, process: 'exited', exit };
}

function isInitialize(event: LogEvent): boolean {
  const [first] = readLine(event.payload);
  return (
    first?.message.ok === true && first.message.value.type === 'request' && first.message.value.method === 'initialize'
  );
}
