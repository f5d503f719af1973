import { TranscriptFold } from '@heliograph/transcript';
import fc from 'fast-check';
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
    const result = scan(agent);
    const ref = { agent: agent.publicKey, channelId: agent.channelId };
    const { title } = headOf(
      { fold: foldOf(agent), session: ref, agentName: 'Claude' },
      1,
      redactTurns(result, result.found),
    );
    expect(title).not.toContain('ghp_');
  });

  const agent = story()
    .prompt(`use ${GITHUB} and ${AWS}`)
    .say(`Your key is ${ANTHROPIC}. Again: ${ANTHROPIC}!`)
    .say(`${'word '.repeat(3)}${GITHUB}`, 'm2')
    .end('end_turn');

  test('the turns hold marks instead, and what is kept on purpose', () => {
    const result = scan(agent);
    const chosen = result.found.filter(({ secret }) => secret !== AWS);
    const text = JSON.stringify(redactTurns(result, chosen));
    for (const secret of [GITHUB, ANTHROPIC]) expect(text).not.toContain(secret);
    expect(text).toContain(AWS);
    expect(text).toContain('Your key is [redacted:anthropic-key]. Again: [redacted:anthropic-key]!');
    expect(redactTurns(result, [])).toBe(result.turns);
  });

  test('what a terminal showed in base64 goes with the whole of its piece, also where it is cut over two', () => {
    const shown = [
      `export TOKEN=${GITHUB}\n`,
      `key ${ANTHROPIC.slice(0, 20)}`,
      `${ANTHROPIC.slice(20)} set\n`,
      'done\n',
    ];
    const cut = story().prompt('go');
    for (const text of shown) cut.update({ sessionUpdate: 'terminal_output_chunk', terminalId: 'x', data: btoa(text) });
    const result = scan(cut);
    expect(result.found.map(({ secret }) => secret)).toEqual([GITHUB, ANTHROPIC]);
    const data = redactEvents(result, result.found).flatMap(({ payload }) => {
      const { params } = JSON.parse(payload) as { params?: { update?: { data?: string } } };
      return params?.update?.data ?? [];
    });
    expect(data).toEqual(['[redacted:github-token]', '[redacted:anthropic-key]', '', btoa('done\n')]);
  });

  test('the lines hold no piece of it in whatever chunks it came; a line without any keeps its exact text', () => {
    const result = scan(agent);
    const { events, found: secrets } = result;
    const redacted = redactEvents(result, secrets);
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
    expect(redactEvents(result, [])).toBe(events);
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
    const result = scan(told);
    const { found: secrets } = result;
    expect(JSON.stringify(result.turns)).toContain(GITHUB);
    expect(secrets.map(({ secret }) => secret)).toEqual([GITHUB]);
    const text = redactEvents(result, secrets)
      .map(({ payload }) => payload)
      .join('\n');
    expect(text).not.toContain(GITHUB.slice(0, half));
    expect(text).not.toContain(GITHUB.slice(half));
    expect(text).toContain('TOKEN [redacted:github-token]');
  });

  /** Everything that is saved of it, as text. */
  const saved = (told: StoryAgent) => {
    const result = scan(told);
    const { found: secrets } = result;
    const lines = redactEvents(result, secrets).map(({ payload }) => payload);
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
    const turns = redactTurns(result, secrets);
    return { secrets, lines: lines.join('\n'), turns: JSON.stringify(turns), exact: result.events };
  };
  const halves = (secret: string) => [secret.slice(0, 20), secret.slice(20)] as const;

  test('a secret that other updates interrupt is found as one, and no piece of it stays', () => {
    const [first, second] = halves(GITHUB);
    const chunk = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    const output = (data: string) => ({
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      _meta: { terminal_output: { data } },
    });
    const [third, fourth] = halves(ANTHROPIC);
    const { secrets, lines, turns } = saved(
      story()
        .prompt('go')
        .update(chunk(`it is ${first}`))
        .tool('t', { kind: 'execute', title: 'env', rawInput: {}, _meta: { terminal_info: { terminal_id: 't' } } }, 10)
        .update(output(`KEY ${third}`))
        .update(chunk(`${second}, said I`))
        .update({ sessionUpdate: 'plan', entries: [] })
        .update(output(`${fourth} end`)),
    );
    expect(secrets.map(({ secret }) => secret).sort()).toEqual([GITHUB, ANTHROPIC].sort());
    for (const piece of [first, second, third, fourth]) {
      expect(lines).not.toContain(piece);
      expect(turns).not.toContain(piece);
    }
    expect(lines).toContain('"it is [redacted:github-token]"');
    expect(lines).toContain('", said I"');
    expect(turns).toContain('KEY [redacted:anthropic-key] end');
  });

  test('a secret that stands in colours, or in escapes of JSON in JSON, is found as it reads', () => {
    const [first, second] = halves(GITHUB);
    // As `tput sgr0` ends a colour.
    const coloured = `\u001b[1;31m${first}\u001b(B\u001b[m\u001b[32m${second}\u001b(B\u001b[m done`;
    const nested = JSON.stringify({ env: JSON.stringify({ PATH: '/bin', KEY: `\n${ANTHROPIC}` }) });
    const spelled = `\\u0041${AWS.slice(1)}`;
    const agent = story()
      .prompt('go')
      .tool('a', { kind: 'execute', title: 'env', rawInput: { command: nested } }, 10)
      .update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: coloured } })
      .update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: ` and ${spelled} so` } });
    const { secrets, lines, turns } = saved(agent);
    expect(secrets.map(({ secret }) => secret).sort()).toEqual([ANTHROPIC, AWS, GITHUB].sort());
    for (const text of [lines, turns]) {
      for (const piece of [first, second, ANTHROPIC, AWS.slice(1)]) expect(text).not.toContain(piece);
      expect(text).toContain(' done');
    }
    expect(turns).toContain(' and [redacted:aws-key-id] so');
  });

  test('a secret that a word before it told is found without that word too; what is kept on purpose stays everywhere', () => {
    const told = story().prompt('password=hunter2hunter2 is it').say('I typed hunter2hunter2 there, and not hunter2.');
    const { secrets, lines, turns } = saved(told);
    expect(secrets.map(({ kind, count }) => [kind, count])).toEqual([['assigned-secret', 2]]);
    for (const text of [lines, turns]) expect(text).not.toContain('hunter2hunter2');
    expect(turns).toContain('and not hunter2.');
    const result = scan(told);
    expect(redactEvents(result, [])).toBe(result.events);
  });

  test('of very many secrets that words before them told the first 1,000 are found without those words, and each with them', () => {
    const secretOf = (n: number) => `hunter${n}hunter`;
    const named = Array.from({ length: 1_001 }, (_, n) => `password=${secretOf(n)}`).join(' ');
    const result = scan(
      story()
        .prompt(named)
        .say(`So ${secretOf(999)}, and ${secretOf(1_000)}.`),
    );
    const turns = JSON.stringify(redactTurns(result, [...result.found, ...result.unlisted]));
    expect(turns).not.toMatch(/password=hunter/);
    expect(turns).toContain(`So [redacted:assigned-secret], and ${secretOf(1_000)}.`);
  });

  test('whatever a secret is cut, coloured and escaped into, no piece of it stays that is longer than chance', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 5, maxLength: 12 }),
        fc.boolean(),
        (cuts, isColoured) => {
          const pieces: string[] = [];
          let from = 0;
          for (const length of cuts) {
            pieces.push(GITHUB.slice(from, from + length));
            from += length;
          }
          pieces.push(`${GITHUB.slice(from)} end`);
          const agent = story().prompt('go');
          for (const piece of pieces) {
            agent.update({
              sessionUpdate: 'agent_message_chunk',
              content: { type: 'text', text: isColoured ? `\u001b[3m${piece}` : piece },
            });
            agent.update({ sessionUpdate: 'plan', entries: [] });
          }
          const { lines, turns } = saved(agent);
          for (const text of [lines, turns]) {
            expect(text).not.toMatch(/aB3/);
            expect(text.match(/\[redacted:github-token\]/g)).toHaveLength(1);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
