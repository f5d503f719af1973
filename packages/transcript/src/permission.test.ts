import { lineSha256 } from '@heliograph/wire/observer';
import { describe, expect, it } from 'vitest';
import { selectPendingQuestions } from './select.ts';
import { Scene } from './testing/scene.ts';

const TOOL = { toolCallId: 't', title: 'Edit x', kind: 'edit', status: 'pending' };
const pending = (scene: Scene) => selectPendingQuestions(scene.transcript).map(({ question }) => question.rpcId);

describe('permissions', () => {
  it('TR43: a question as the first sight of a tool id makes its card; the update that comes completes it', () => {
    const diff = { type: 'diff', path: '/x', oldText: 'a', newText: 'b' };
    const scene = new Scene()
      .prompt()
      .ask(0, { ...TOOL, content: [diff], locations: [{ path: '/x' }], rawInput: { n: 1 } });
    expect(scene.outline()).toEqual(['user: do it', 'tool t: pending', 'permission']);
    expect(scene.the('permission')).toMatchObject({
      rpcId: '0',
      toolCallId: 't',
      title: 'Edit x',
      toolKind: 'edit',
      content: [diff],
      rawInput: '{"n":1}',
      locations: [{ path: '/x' }],
      options: [
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
      ],
      state: 'asked',
    });
    scene.update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' });
    expect(scene.the('tool')).toMatchObject({
      title: 'Edit x',
      status: 'completed',
      content: [diff],
      rawInput: '{"n":1}',
    });
  });

  it('TR44: a question never gives a card that is there another face; it only adds what the card lacks', () => {
    const scene = new Scene().prompt().update({
      sessionUpdate: 'tool_call',
      toolCallId: 't',
      title: 'Editing',
      status: 'in_progress',
      rawInput: { a: 1 },
    });
    scene.ask(0, { ...TOOL, rawInput: { b: 2 }, locations: [{ path: '/x' }] });
    expect(scene.the('tool')).toMatchObject({
      title: 'Editing',
      toolKind: 'edit',
      status: 'in_progress',
      rawInput: '{"a":1}',
      locations: [{ path: '/x' }],
    });
  });

  it('TR45: a question without details still shows its options, and borrows the title of its tool', () => {
    const scene = new Scene()
      .prompt()
      .update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'Run tests', kind: 'execute' })
      .ask(0, { toolCallId: 't' });
    expect(scene.the('permission')).toMatchObject({ title: 'Run tests', toolKind: 'execute', content: [] });
    expect(scene.the('permission').options).toHaveLength(2);
  });

  it('TR150: a question with a title alone shows the change, the input and the places its tool has told before', () => {
    const diff = { type: 'diff', path: '/x', oldText: 'a', newText: 'b' };
    const call = { sessionUpdate: 'tool_call', toolCallId: 't', title: 'Editing files', kind: 'edit' };
    const shows = {
      content: [diff, { type: 'terminal', terminalId: 't' }],
      rawInput: { n: 1.5 },
      locations: [{ path: '/x' }],
    };
    const scene = new Scene().prompt().update({ ...call, ...shows });
    scene.ask(0, { toolCallId: 't', title: 'Edit files', content: [], locations: [] });
    const asked = { title: 'Edit files', content: [diff], rawInput: '{"n":1.5}', locations: [{ path: '/x' }] };
    expect(scene.the('permission')).toMatchObject(asked);
    scene.update({ sessionUpdate: 'tool_call_update', toolCallId: 't', content: [], rawInput: {} });
    expect(scene.the('permission')).toMatchObject(asked);
  });

  it('TR150: what the question tells itself stands alone', () => {
    const call = { sessionUpdate: 'tool_call', toolCallId: 't', title: 'x', content: [{ type: 'text', text: 'old' }] };
    const scene = new Scene().prompt().update({ ...call, rawInput: { n: 1 }, locations: [{ path: '/old' }] });
    const own = { content: [{ type: 'text', text: 'new' }], rawInput: { n: 2 }, locations: [{ path: '/new' }] };
    expect(scene.ask(0, { ...TOOL, ...own }).the('permission')).toMatchObject({
      content: [{ type: 'content', part: { type: 'text', text: 'new' } }],
      rawInput: '{"n":2}',
      locations: [{ path: '/new' }],
    });
  });

  it('TR45: options of any shape are shown as they came, an unknown kind is no allow', () => {
    const options = [{ optionId: 'a', name: 'A', kind: 'yolo' }, { optionId: 'a' }, { name: 'no id' }, 3];
    const scene = new Scene().prompt().ask(0, TOOL, { options });
    expect(scene.the('permission').options).toEqual([
      { optionId: 'a', name: 'A', kind: 'yolo' },
      { optionId: 'a', name: 'a', kind: '' },
    ]);
    expect(new Scene().prompt().ask(0, TOOL, { options: [] }).the('permission').options).toEqual([]);
  });

  it('TR46: v2: title, description and a subject that is a tool call or a command', () => {
    const scene = new Scene({ version: 2 }).prompt();
    const ask = (id: number, params: object) =>
      scene.harness.read({
        jsonrpc: '2.0',
        id,
        method: 'session/request_permission',
        params: { sessionId: 's', options: [], ...params },
      });
    ask(0, {
      title: 'Make edits?',
      description: 'because',
      subject: { type: 'tool_call', toolCall: { ...TOOL, rawInput: { n: 1.5 } } },
    });
    ask(1, { title: 'Run?', subject: { type: 'command', command: 'rm -r x', cwd: '/', toolCallId: 'u' } });
    const [edit, command] = scene.all('permission');
    expect(edit).toMatchObject({
      title: 'Make edits?',
      toolCallId: 't',
      rawInput: '{"n":1.5}',
      content: [{ part: { text: 'because' } }],
    });
    expect(command).toMatchObject({ title: 'Run?', toolCallId: 'u', toolKind: 'execute' });
    expect(command?.rawInput).toContain('rm -r x');
  });

  it('TR47: the nonce is bound by the request’s seq; without it nothing can be answered', () => {
    const scene = new Scene().prompt().ask(0, TOOL).ask(0, { toolCallId: 'u' });
    const seqs = scene.all('permission').map(({ request }) => request.seq);
    const told = {
      requestNonce: 'n',
      requestSeq: seqs[1],
      requestSha256: 'abc',
      rpcId: '0',
      actionable: true,
      expiresAt: '2026-11-30T10:00:00Z',
    };
    scene.note('permission_pending', told);
    expect(scene.all('permission')).toMatchObject([
      { state: 'asked', nonce: undefined, actionable: false },
      { state: 'pending', nonce: 'n', requestSha256: 'abc', actionable: true, expiresAt: '2026-11-30T10:00:00Z' },
    ]);
  });

  it('TR47: a nonce whose request is missing shows a question without its words, until the line comes', () => {
    const scene = new Scene().prompt().ask(0, TOOL);
    const line = scene.harness.events.pop();
    scene.note('permission_pending', {
      requestNonce: 'n',
      requestSeq: line?.seq,
      rpcId: '0',
      toolCallId: 't',
      actionable: true,
    });
    expect(scene.the('permission')).toMatchObject({ state: 'pending', nonce: 'n', title: '', options: [] });
    if (line !== undefined) scene.fold.insert(line);
    expect(scene.the('permission')).toMatchObject({ state: 'pending', nonce: 'n', title: 'Edit x' });
    expect(scene.all('gap')).toEqual([]);
  });

  it('TR48: the answer that is written decides, permission_terminal tells by whom and why', () => {
    const scene = new Scene({ told: true }).prompt().ask(0, TOOL);
    expect(pending(scene)).toEqual(['0']);
    scene.decide(0, { outcome: 'selected', optionId: 'yes' }, { via: 'owner' });
    expect(scene.the('permission')).toMatchObject({
      state: 'decided',
      decision: { reason: 'applied', optionId: 'yes', decidedBy: { who: 'owner' } },
    });
    expect(pending(scene)).toEqual([]);
  });

  it.each([
    [{ outcome: 'selected', optionId: 'yes' }, 'policy', 'unknown', 'yes'],
    [{ outcome: 'cancelled' }, 'harness', 'cancelled', undefined],
    [{ outcome: 'made_up' }, undefined, 'rejected', undefined],
  ] as const)('TR48: with only the lines, %j by %s reads %s', (outcome, via, reason, optionId) => {
    const scene = new Scene()
      .prompt()
      .ask(0, TOOL)
      .decide(0, outcome, via === undefined ? {} : { via });
    expect(scene.the('permission').decision).toEqual({ reason, optionId, decidedBy: { who: via ?? 'client' } });
  });

  it('TR48: an error for an answer is no permission; an answer that was held back is none at all', () => {
    const scene = new Scene().prompt().ask(0, TOOL);
    scene.decide(0, { outcome: 'selected', optionId: 'yes' }, { forwarded: false });
    expect(pending(scene)).toEqual(['0']);
    scene.harness.write({ jsonrpc: '2.0', id: 0, error: { code: -32603, message: 'no' } });
    expect(scene.the('permission').decision).toMatchObject({ reason: 'rejected' });
  });

  it('TR49: ids are raw text: 0 is not "0", and 2^53 is not 2^53 + 1', () => {
    const scene = new Scene().prompt();
    const ask = (id: string) =>
      scene.harness.read(`{"id":${id},"method":"session/request_permission","params":{"sessionId":"s","options":[]}}`);
    for (const id of ['0', '"0"', '9007199254740992', '9007199254740993']) ask(id);
    const answer = (id: string) => scene.harness.write(`{"id":${id},"result":{"outcome":{"outcome":"cancelled"}}}`);
    answer('"0"');
    answer('9007199254740993');
    expect(pending(scene)).toEqual(['0', '9007199254740992']);
  });

  it('TR49: an id used again is another question; the older one is answered first', () => {
    const scene = new Scene()
      .prompt()
      .ask(0, TOOL)
      .decide(0, { outcome: 'selected', optionId: 'yes' })
      .ask(0, { toolCallId: 'u' });
    expect(scene.all('permission').map(({ state }) => state)).toEqual(['decided', 'asked']);
  });

  it('TR50: the agent may take its question back; the client’s ids are its own', () => {
    const scene = new Scene().prompt().ask(0, TOOL);
    const cancel = { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 0 } };
    scene.harness.write(cancel);
    scene.harness.read(cancel, { via: 'harness' });
    expect(pending(scene)).toEqual(['0']);
    scene.harness.read(cancel);
    expect(scene.the('permission').decision).toMatchObject({ reason: 'withdrawn' });
  });

  it('TR51: a turn that ends leaves no open question; what the harness says later tells why', () => {
    const scene = new Scene({ told: true }).prompt().ask(0, TOOL).answer();
    expect(scene.the('permission')).toMatchObject({ state: 'decided', decision: { reason: 'expired' } });
    scene.note('permission_terminal', {
      requestNonce: 'nonce-1',
      reason: 'timed_out',
      decidedBy: { who: 'policy', rule: '5m' },
    });
    expect(scene.the('permission')).toMatchObject({
      decision: { reason: 'timed_out', decidedBy: { who: 'policy', rule: '5m' } },
    });
    expect(scene.the('permission').late).toBeUndefined();
  });

  it('TR51: a question after its turn’s end waits for an answer', () => {
    const scene = new Scene().prompt().answer().ask(5, TOOL);
    expect(scene.the('permission')).toMatchObject({ state: 'asked', late: true });
    expect(pending(scene)).toEqual(['5']);
  });

  it('TR51: several questions at once are independent', () => {
    const scene = new Scene().prompt();
    for (let id = 0; id < 20; id++) scene.ask(id, { toolCallId: `t${id}`, title: `${id}` });
    scene.decide(7, { outcome: 'selected', optionId: 'no' });
    expect(pending(scene)).toHaveLength(19);
    expect(scene.all('tool')).toHaveLength(20);
  });
});

describe('a question and its line', () => {
  it('TR94: a question carries the SHA-256 of the very line it shows, whatever it was told', () => {
    const scene = new Scene({ told: true }).prompt().ask(0, TOOL);
    const { request, lineSha256: shown, requestSha256 } = scene.the('permission');
    const line = scene.fold.log.range(request.stream, request.seq, request.seq);
    expect([...line].map((event) => lineSha256(event.payload))).toEqual([shown]);
    expect(requestSha256).toBe(shown);
    scene.note('permission_pending', { requestNonce: 'n2', requestSeq: request.seq, requestSha256: 'a'.repeat(64) });
    expect(scene.the('permission')).toMatchObject({ lineSha256: shown, requestSha256: 'a'.repeat(64) });
  });

  it('TR95: of two open questions with one id only the one that is named by its nonce is decided', () => {
    const scene = new Scene({ told: true })
      .prompt()
      .ask(0, TOOL)
      .ask(0, { ...TOOL, toolCallId: 'u' });
    scene.decide(0, { outcome: 'selected', optionId: 'no' });
    const [first, second] = scene.all('permission');
    expect([first?.state, second?.state].filter((state) => state === 'decided').length).toBeLessThan(2);
    scene.note('permission_terminal', { requestNonce: first?.nonce, reason: 'applied', optionId: 'no' });
    expect(scene.all('permission').map(({ state }) => state)[0]).toBe('decided');
  });
});
