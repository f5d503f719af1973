import { type ObserverEvent, splitPayload } from '@heliograph/wire/observer';
import { CHANNEL, MiniHarness } from './mini-harness.ts';

const IDS = ['a', 'b', 'c'];
const OTHER_CHANNEL = 'channel-2';

/**
 * A session that could have happened, or nearly, as events in wire order: each choice is one step. Two channels, two runs
 * of the harness; turns, tools, questions, late lines, parts, replayed history, crashes.
 */
export function randomSession(choices: readonly number[]): readonly ObserverEvent[] {
  const session = new RandomSession();
  for (const choice of choices) session.step(choice);
  return session.events;
}

class RandomSession {
  readonly events: ObserverEvent[] = [];
  #harness: MiniHarness;
  #runs = 1;
  #rpcId = 10;
  #turn: string | null = null;
  #turns = 0;
  #prompts: string[] = [];
  #asks: { readonly id: string; readonly seq: number }[] = [];
  #other = false;

  constructor() {
    this.#harness = new MiniHarness();
    this.events.push(...this.#harness.events);
  }

  step(choice: number): void {
    const kind = choice % 40;
    const id = IDS[Math.floor(choice / 40) % IDS.length] ?? 'a';
    const odd = Math.floor(choice / 120) % 2 === 1;
    const steps: readonly (() => void)[] = [
      () => this.#prompt(),
      () => this.#prompt(),
      () => this.#answer('end_turn'),
      () => this.#answer(odd ? 'cancelled' : 'max_tokens'),
      () => this.#update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${id} ` } }),
      () =>
        this.#update({
          sessionUpdate: 'agent_message_chunk',
          messageId: id,
          content: { type: 'text', text: `${id} ` },
        }),
      () =>
        this.#update({ sessionUpdate: 'agent_thought_chunk', messageId: id, content: { type: 'text', text: 'hm ' } }),
      () =>
        this.#update({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: odd ? 'do it' : 'what' } }),
      () =>
        this.#update({
          sessionUpdate: 'tool_call',
          toolCallId: id,
          title: `run ${id}`,
          kind: 'execute',
          status: 'pending',
        }),
      () =>
        this.#update({ sessionUpdate: 'tool_call_update', toolCallId: id, status: odd ? 'in_progress' : 'completed' }),
      () =>
        this.#update({
          sessionUpdate: 'tool_call_update',
          toolCallId: id,
          title: `again ${id}`,
          status: 'in_progress',
        }),
      () =>
        this.#update({
          sessionUpdate: 'tool_call_update',
          toolCallId: id,
          content: [{ type: 'terminal', terminalId: id }],
        }),
      () => this.#update({ sessionUpdate: 'terminal_output_chunk', terminalId: id, data: odd ? 'w7w=' : 'wyA8' }),
      () => this.#update({ sessionUpdate: 'terminal_update', terminalId: id, exitStatus: { exitCode: 3 } }),
      () =>
        this.#update({
          sessionUpdate: 'tool_call_update',
          toolCallId: id,
          _meta: { terminal_output_delta: { data: 'tick\n' } },
        }),
      () => this.#update({ sessionUpdate: 'plan', entries: [{ content: id, status: 'pending' }] }),
      () => this.#update({ sessionUpdate: 'usage_update', used: choice, size: 1000 }),
      () => this.#update({ sessionUpdate: 'current_mode_update', currentModeId: id }),
      () => this.#update({ sessionUpdate: 'made_up_kind', id }),
      () => this.#update({ sessionUpdate: 'state_update', state: odd ? 'idle' : 'running', stopReason: 'end_turn' }),
      () => this.#ask(id),
      () => this.#decide(odd),
      () => this.#say('turn_error', { outcome: odd ? 'auth' : 'idle_timeout', error: 'gone wrong', hint: 'log in' }),
      () => this.#say('agent_stderr', { text: `${id}\n` }),
      () => this.#say('acp_parse_error', { line: 'not json', error: 'no', direction: 'read' }),
      () => this.#say('turn_liveness', { head: null, lastAgentByteAgeMs: choice }),
      () => this.#say('prompt_queued', { promptRequestId: id, position: choice % 5 }),
      () => this.#say('control_result', { type: 'set_mode', status: odd ? 'failure' : 'applied', requestId: id }),
      () =>
        this.#say('observer_telemetry_gap', {
          firstSeq: choice % 20,
          lastSeq: (choice % 20) + 5,
          reasonCounts: { overflow: 1 },
        }),
      () => this.#line('acp_write', { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's' } }),
      () => this.#line('acp_read', [{ jsonrpc: '2.0', id: 900, method: 'x', params: {} }, 4]),
      () => this.#line('acp_read', { sessionUpdate: id }, { replayed: true }),
      () => this.#parts(id),
      () => this.#talkElsewhere(id),
      () => this.#talkElsewhere(id),
      () => this.#configure(id),
      () => this.#end(odd),
      () => this.#crash(),
      () => this.#restart(),
      () => this.#update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'later ' } }, null),
    ];
    steps[kind]?.();
    this.events.push(...this.#harness.events.slice(this.#taken));
    this.#taken = this.#harness.events.length;
  }

  #taken = 3;

  #say(kind: string, payload: unknown, extra: Partial<ObserverEvent> = {}): ObserverEvent {
    return this.#harness.say(this.#harness.stream, { turnId: this.#turn, ...extra, kind, payload });
  }

  #line(kind: string, message: unknown, extra: Partial<ObserverEvent> = {}): ObserverEvent {
    return this.#say(kind, JSON.stringify(message), extra);
  }

  #update(update: object, turnId = this.#turn): void {
    this.#line(
      'acp_read',
      { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } },
      { turnId },
    );
  }

  #prompt(): void {
    const id = String(this.#rpcId++);
    this.#turns++;
    // Every third prompt comes from an editor the harness says nothing about.
    this.#turn = this.#turns % 3 === 0 ? null : `turn-${this.#runs}-${this.#turns}`;
    if (this.#turn !== null) this.#say('turn_started', { source: 'owner', triggeringEventIds: [] });
    const prompt = [{ type: 'text', text: 'do it' }];
    this.#line('acp_write', {
      jsonrpc: '2.0',
      id: Number(id),
      method: 'session/prompt',
      params: { sessionId: 's', prompt },
    });
    this.#prompts.push(id);
  }

  #answer(stopReason: string): void {
    const id = this.#prompts.shift();
    if (id === undefined) return;
    this.#line('acp_read', { jsonrpc: '2.0', id: Number(id), result: { stopReason } });
    this.#end(false);
  }

  #end(killed: boolean): void {
    if (this.#turn !== null)
      this.#say('turn_completed', { outcome: killed ? 'killed' : 'completed', stopReason: null });
    this.#turn = null;
  }

  #ask(toolCallId: string): void {
    const id = String(this.#rpcId++);
    const params = {
      sessionId: 's',
      toolCall: { toolCallId, title: 'May I?' },
      options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
    };
    const { seq } = this.#line('acp_read', {
      jsonrpc: '2.0',
      id: Number(id),
      method: 'session/request_permission',
      params,
    });
    this.#say('permission_pending', {
      requestNonce: `n${id}`,
      requestSeq: seq,
      requestSha256: '',
      rpcId: id,
      actionable: true,
    });
    this.#asks.push({ id, seq });
  }

  #decide(withdraw: boolean): void {
    const ask = this.#asks.shift();
    if (ask === undefined) return;
    if (withdraw) {
      this.#line('acp_read', { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: Number(ask.id) } });
      return;
    }
    const outcome = { outcome: 'selected', optionId: 'y' };
    this.#line('acp_write', { jsonrpc: '2.0', id: Number(ask.id), result: { outcome } }, { via: 'owner' });
    this.#say('permission_terminal', {
      requestNonce: `n${ask.id}`,
      reason: 'applied',
      optionId: 'y',
      decidedBy: { who: 'owner' },
    });
  }

  #parts(id: string): void {
    const update = {
      sessionUpdate: 'agent_message_chunk',
      messageId: id,
      content: { type: 'text', text: 'long '.repeat(80) },
    };
    const line = JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } });
    const first = 1 + this.#harness.events.filter(({ stream }) => stream === this.#harness.stream).length;
    for (const payload of splitPayload('acp_read', line, first, 320) ?? []) this.#say('acp_part', payload);
  }

  #talkElsewhere(id: string): void {
    const stream = `${this.#harness.stream}-other`;
    const where = { channelId: OTHER_CHANNEL, turnId: null };
    if (!this.#other)
      this.#harness.say(stream, { ...where, kind: 'stream_opened', payload: { channelId: OTHER_CHANNEL } });
    this.#other = true;
    const update = {
      sessionUpdate: 'agent_message_chunk',
      messageId: id,
      content: { type: 'text', text: 'elsewhere ' },
    };
    const line = { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 't', update } };
    this.#harness.say(stream, { ...where, kind: 'acp_read', payload: JSON.stringify(line) });
  }

  #configure(id: string): void {
    const rpcId = this.#rpcId++;
    const line = (kind: string, message: object) =>
      this.#harness.say(this.#harness.run, { kind, payload: JSON.stringify(message) });
    line('acp_write', {
      jsonrpc: '2.0',
      id: rpcId,
      method: 'session/new',
      params: { cwd: `/srv/${id}`, mcpServers: [] },
    });
    line('acp_read', {
      jsonrpc: '2.0',
      id: rpcId,
      result: { sessionId: id, modes: { currentModeId: id, availableModes: [] } },
    });
    this.#say('session_resolved', { sessionId: id, isNewSession: true });
  }

  #crash(): void {
    this.#harness.say(this.#harness.run, { kind: 'agent_exited', payload: { code: 1, signal: null, expected: false } });
    this.#prompts = [];
    this.#asks = [];
  }

  #restart(): void {
    if (this.#runs >= 3) return;
    this.#runs++;
    this.#harness = new MiniHarness({
      run: `run-${this.#runs}`,
      stream: `stream-${this.#runs}`,
      fromSeconds: this.#runs * 60,
    });
    this.#taken = 0;
    this.#turn = null;
    this.#prompts = [];
    this.#asks = [];
    this.#other = false;
  }
}

export const CHANNELS: readonly (string | null)[] = [CHANNEL, OTHER_CHANNEL, null];
