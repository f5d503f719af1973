import { TranscriptFold } from '@heliograph/transcript';
import { describe, expect, test } from 'vitest';
import { StoryAgent } from '../dev/story-agent.ts';
import { redactEvents, redactTurns } from './redact-session.ts';
import { headOf, scanOf } from './save-session.ts';
import type { SecretScan } from './session-secrets.ts';

const GITHUB = `ghp_${'aB3'.repeat(12)}`;
const ANTHROPIC = `sk-ant-${'x9Y'.repeat(12)}`;
const AWS = 'AKIAABCDEFGHIJKLMNOP';

const story = () => new StoryAgent({ name: 'Claude', host: 'h', cwd: '/srv', startMs: Date.UTC(2026, 10, 30) });

function foldOf(agent: StoryAgent): TranscriptFold {
  const fold = new TranscriptFold();
  for (const event of agent.events) fold.insert(event);
  return fold;
}

function scan(agent: StoryAgent): SecretScan {
  const looking = scanOf(foldOf(agent), { agent: agent.publicKey, channelId: agent.channelId }, agent.presence().run);
  let before = 0;
  for (;;) {
    const step = looking.next();
    if (step.done === true) return step.value;
    expect(step.value).toBeGreaterThanOrEqual(before);
    expect(step.value).toBeLessThanOrEqual(1);
    before = step.value;
  }
}
const found = (result: SecretScan) => result.found.map(({ kind, secret, count }) => [kind, secret, count]);

describe('DT130: what leaves with a session is looked through first', () => {
  test('a secret is found whole where it is shown, with where, also where it came word by word', () => {
    const agent = story()
      .prompt(`use ${GITHUB}`)
      .say(`Your key is ${ANTHROPIC}, and I will not use it.`)
      .tool('a', { kind: 'execute', title: 'env', rawInput: { command: `curl -H "token: ${GITHUB}"` } }, 10);
    const result = scan(agent);
    expect(found(result)).toEqual([
      ['github-token', GITHUB, 2],
      ['anthropic-key', ANTHROPIC, 1],
    ]);
    expect(result.found[0]?.places.map(({ words }) => words)).toEqual(['turn 1, a prompt', 'turn 1, a tool call']);
  });

  test('one that stands in lines alone is found there; pieces of one that is shown are none of their own', () => {
    const agent = story().prompt('go').say(`it is ${ANTHROPIC} now`);
    agent.update({ sessionUpdate: 'made_up', _meta: { inside: AWS } });
    const result = scan(agent);
    expect(result.found.map(({ secret }) => secret)).toEqual(expect.arrayContaining([ANTHROPIC, AWS]));
    expect(result.found).toHaveLength(2);
    expect(found(scan(story().prompt('go').say('nothing here')))).toEqual([]);
  });

  test('of very many 200 are listed and the others are replaced all the same', () => {
    const many = Array.from({ length: 230 }, (_, at) => `ghp_${String(at).padStart(36, 'a')}`);
    const result = scan(story().prompt(many.join('\n')));
    expect([result.found.length, result.unlisted.length]).toEqual([200, 30]);
  });
});

describe('DT131: what is chosen is in no saved form', () => {
  test('a title that is cut out of the first prompt begins no secret', () => {
    const agent = story().prompt(`${'x'.repeat(380)} ${GITHUB}`);
    const { turns, found: secrets } = scan(agent);
    const ref = { agent: agent.publicKey, channelId: agent.channelId };
    const { title } = headOf(
      { fold: foldOf(agent), session: ref, agentName: 'Claude' },
      1,
      redactTurns(turns, secrets),
    );
    expect(title).not.toContain('ghp_');
  });

  const agent = story()
    .prompt(`use ${GITHUB} and ${AWS}`)
    .say(`Your key is ${ANTHROPIC}. Again: ${ANTHROPIC}!`)
    .say(`${'word '.repeat(3)}${GITHUB}`, 'm2')
    .end('end_turn');

  test('the turns hold marks instead, and what is kept on purpose', () => {
    const { turns, found: secrets } = scan(agent);
    const chosen = secrets.filter(({ secret }) => secret !== AWS);
    const text = JSON.stringify(redactTurns(turns, chosen));
    for (const secret of [GITHUB, ANTHROPIC]) expect(text).not.toContain(secret);
    expect(text).toContain(AWS);
    expect(text).toContain('Your key is [redacted:anthropic-key]. Again: [redacted:anthropic-key]!');
    expect(redactTurns(turns, [])).toBe(turns);
  });

  test('the lines hold no piece of it in whatever chunks it came; a line without any keeps its exact text', () => {
    const { events, found: secrets } = scan(agent);
    const redacted = redactEvents(events, secrets);
    expect(redacted).toHaveLength(events.length);
    const texts = redacted.flatMap(({ payload }) => {
      const { params } = JSON.parse(payload) as { params?: { update?: { content?: { text?: string } } } };
      return params?.update?.content?.text ?? [];
    });
    expect(texts.join('')).toBe(
      `Your key is [redacted:anthropic-key]. Again: [redacted:anthropic-key]!${'word '.repeat(3)}[redacted:github-token]`,
    );
    const untouched = events.filter(({ payload }) => payload.includes('stopReason'));
    for (const event of untouched) expect(redacted).toContain(event);
    const changed = redacted.find(({ payload }) => payload.includes('[redacted:anthropic-key]'));
    expect(changed?.redacted).toEqual(['/params/update/content/text']);
    expect(redactEvents(events, [])).toBe(events);
  });

  test('a secret in a terminal’s output that came in pieces is replaced in each of them', () => {
    const call = { kind: 'execute', title: 'env', rawInput: { command: 'env' } };
    const half = Math.floor(GITHUB.length / 2);
    const piece = (data: string) => ({
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      _meta: { terminal_output: { data } },
    });
    const told = story()
      .prompt('go')
      .tool('t', { ...call, _meta: { terminal_info: { terminal_id: 't' } } }, 10)
      .update(piece(`TOKEN ${GITHUB.slice(0, half)}`))
      .update(piece(`${GITHUB.slice(half)} end`));
    const { events, turns, found: secrets } = scan(told);
    expect(JSON.stringify(turns)).toContain(GITHUB);
    expect(secrets.map(({ secret }) => secret)).toEqual([GITHUB]);
    const text = redactEvents(events, secrets)
      .map(({ payload }) => payload)
      .join('\n');
    expect(text).not.toContain(GITHUB.slice(0, half));
    expect(text).not.toContain(GITHUB.slice(half));
    expect(text).toContain('TOKEN [redacted:github-token]');
  });
});
