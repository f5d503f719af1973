import { lineSha256 } from '@heliograph/wire/observer';
import { describe, expect, it } from 'vitest';
import { TranscriptFold } from './fold.ts';
import { selectPendingQuestions, selectTurnState } from './select.ts';
import { MiniHarness } from './testing/mini-harness.ts';
import { Scene } from './testing/scene.ts';

const SCHEMA = {
  type: 'object',
  required: ['branch'],
  properties: { branch: { type: 'string', title: 'Branch' }, force: { type: 'boolean' } },
};
const asks = (scene: Scene, params: object = {}, id = 3) => {
  const message = { message: 'Which branch?', mode: 'form', requestedSchema: SCHEMA };
  scene.harness.read({
    jsonrpc: '2.0',
    id,
    method: 'elicitation/create',
    params: { sessionId: 's', ...message, ...params },
  });
  return scene;
};
const seqOf = (scene: Scene) => scene.harness.events.at(-1)?.seq as number;
const terminal = {
  requestNonce: 'n',
  reason: 'applied',
  action: 'accept',
  decidedBy: { who: 'owner', viewer: 'phone' },
};

describe('elicitation', () => {
  it('TR96: a form is a question with its fields, bound to the line it came in, and its turn asks', () => {
    const scene = asks(new Scene().prompt());
    const line = scene.harness.events.at(-1)?.payload as string;
    expect(scene.the('elicitation')).toMatchObject({
      rpcId: '3',
      message: 'Which branch?',
      mode: 'form',
      state: 'asked',
      nonce: undefined,
      lineSha256: lineSha256(line),
      form: {
        fields: [
          { name: 'branch', title: 'Branch', type: 'text', isRequired: true },
          { name: 'force', title: 'force', type: 'flag', isRequired: false },
        ],
      },
    });
    scene.note('elicitation_pending', { requestNonce: 'n', requestSeq: seqOf(scene), rpcId: '3', actionable: true });
    expect(scene.the('elicitation')).toMatchObject({ state: 'pending', nonce: 'n', actionable: true });
    expect(selectTurnState(scene.turn())).toBe('asking');
    expect(selectPendingQuestions(scene.transcript).map(({ question }) => question.kind)).toEqual(['elicitation']);
  });

  it('TR97: what it was answered with, and who answered, stays; the later word refines the earlier', () => {
    const scene = asks(new Scene().prompt());
    scene.note('elicitation_pending', { requestNonce: 'n', requestSeq: seqOf(scene), rpcId: '3', actionable: true });
    const answer = { jsonrpc: '2.0', id: 3, result: { action: 'accept', content: { branch: 'main' } } };
    scene.harness.write(answer, { via: 'owner' });
    expect(scene.the('elicitation').decision).toEqual({
      reason: 'unknown',
      action: 'accept',
      content: '{"branch":"main"}',
      decidedBy: { who: 'owner' },
    });
    scene.note('elicitation_terminal', terminal);
    expect(scene.the('elicitation')).toMatchObject({
      state: 'decided',
      decision: {
        reason: 'applied',
        action: 'accept',
        content: '{"branch":"main"}',
        decidedBy: { who: 'owner', viewer: 'phone' },
      },
    });
    expect(selectPendingQuestions(scene.transcript)).toEqual([]);
  });

  it('TR97: withdrawn, ended with its turn, or left behind by an agent that went, it is decided', () => {
    const withdrawn = asks(new Scene().prompt());
    withdrawn.harness.read({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 3 } });
    expect(withdrawn.the('elicitation').decision?.reason).toBe('withdrawn');
    expect(asks(new Scene().prompt()).answer().the('elicitation').decision?.reason).toBe('expired');
    const gone = asks(new Scene().prompt()).harnessNote('agent_exited', { code: 1, signal: null, expected: false });
    expect(gone.the('elicitation').decision?.reason).toBe('aborted');
  });

  it('TR98: a page to visit shows its URL as it is; that it was visited is told by its own id only', () => {
    const url = { mode: 'url', url: 'https://example.org/login?a=b', elicitationId: 'E', requestedSchema: undefined };
    const scene = asks(new Scene().prompt(), url);
    const visited = (elicitationId: string) =>
      scene.harness.read({ jsonrpc: '2.0', method: 'elicitation/complete', params: { elicitationId } });
    visited('another');
    expect(scene.the('elicitation')).toMatchObject({ url: url.url, form: undefined, isVisited: false });
    visited('E');
    expect(scene.the('elicitation').isVisited).toBe(true);
    expect(scene.outline()).toEqual(['user: do it', 'elicitation']);
  });

  it('TR99: what an agent asks before a session is open stands in the transcript of no channel', () => {
    const harness = new MiniHarness({ quiet: false });
    const events = () => harness.events.filter(({ channelId }) => channelId === null);
    harness.say(harness.run, {
      kind: 'acp_read',
      payload: {
        jsonrpc: '2.0',
        id: 0,
        method: 'elicitation/create',
        params: { requestId: 2, message: 'Which region?' },
      },
    });
    const requestSeq = events().at(-1)?.seq;
    harness.say(harness.run, {
      kind: 'elicitation_pending',
      payload: { requestNonce: 'n', requestSeq, rpcId: '0', actionable: true },
    });
    const fold = new TranscriptFold();
    for (const event of harness.events) fold.insert(event);
    const [waiting] = selectPendingQuestions(fold.transcript(null));
    expect(waiting?.question).toMatchObject({ kind: 'elicitation', message: 'Which region?', nonce: 'n' });
  });

  it('TR96: a request of any shape is shown', () => {
    for (const params of [
      { requestedSchema: null },
      { requestedSchema: { properties: { x: 3, y: { type: 'object' } } } },
      { message: 7, mode: 'hologram' },
      { message: 'x'.repeat(100_000) },
    ]) {
      const item = asks(new Scene().prompt(), params).the('elicitation');
      expect(item.message.length).toBeLessThan(8_200);
    }
  });
});
