import { nobleCrypto } from '@heliograph/crypto/noble';
import { describe, expect, it } from 'vitest';
import { findSecrets, redactPieces, redactText } from './secrets.ts';

const salt = new Uint8Array(16);
const redact = (text: string) => redactText(text, salt, nobleCrypto);
const anthropic = `sk-ant-api03-${'aB3'.repeat(20)}`;
const github = `ghp_${'a1B2'.repeat(9)}`;
const pem = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEA\n'.repeat(4)}-----END RSA PRIVATE KEY-----`;

describe('secrets', () => {
  it.each([
    ['anthropic-key', anthropic],
    ['openai-key', `sk-proj-${'x9'.repeat(20)}`],
    ['stripe-key', `sk_live_${'a1'.repeat(12)}`],
    ['github-token', github],
    ['github-token', `github_pat_${'a1_'.repeat(12)}`],
    ['gitlab-token', `glpat-${'a1B-'.repeat(5)}`],
    ['npm-token', `npm_${'a1B2'.repeat(9)}`],
    ['huggingface-token', `hf_${'a1B2'.repeat(9)}`],
    ['slack-token', 'xoxb-1234567890-abcdefghij'],
    ['aws-key-id', 'AKIAIOSFODNN7EXAMPLE'],
    ['google-key', `AIza${'a1B2c'.repeat(7)}`],
    ['jwt', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${'a1B2'.repeat(8)}`],
    ['nostr-secret', `nsec1${'q9'.repeat(28)}`],
    ['private-key', pem],
  ])('AR30: a %s is replaced by its mark, in text and inside a JSON line', (kind, secret) => {
    expect(redact(`before ${secret} after`).text).toBe(`before [redacted:${kind}] after`);
    const line = JSON.stringify({ text: `first\n${secret}"\nlast`, nested: JSON.stringify({ a: `x\n${secret}` }) });
    const shown = redact(line).text;
    expect(shown).not.toContain(secret.split('\n')[0]);
    expect(JSON.parse(shown).text).toBe(`first\n[redacted:${kind}]"\nlast`);
    expect(JSON.parse(JSON.parse(shown).nested).a).toBe(`x\n[redacted:${kind}]`);
  });

  it('AR30: of a connection string and of an assignment only the secret part is replaced', () => {
    expect(redact('postgres://app:S3cr3t-pw@db:5432/x').text).toBe(
      'postgres://app:[redacted:connection-string]@db:5432/x',
    );
    expect(redact('API_KEY="abc123def456ghi"').text).toBe('API_KEY="[redacted:assigned-secret]"');
    expect(redact('Authorization: Bearer abcDEF123456789012345').text).toBe(
      'Authorization: Bearer [redacted:bearer-token]',
    );
  });

  it('AR30: code and prose that only speak of secrets stay as they are', () => {
    for (const text of [
      'const token = await getToken(request);',
      'password: string; apiKey?: string',
      'the task-list of sk-learn and risk-averse people',
      'https://example.com:8080/a@b',
      'see -----BEGIN CERTIFICATE----- below',
    ]) {
      expect(findSecrets(text)).toEqual([]);
      expect(redact(text).text).toBe(text);
    }
  });

  it('AR30: a text made of beginnings of secrets is looked through in time in proportion to it', () => {
    for (const piece of ['eyJaaaaaaaa-', 'eyJaaaaaaaa.eyJ-', '-----BEGIN A PRIVATE KEY-----', 'password=', 'a://a:'])
      expect(findSecrets(piece.repeat(20_000)).length).toBeLessThan(20_000);
    const token = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${'a1B2'.repeat(8)}`;
    expect(findSecrets(`key-${token}`)).toMatchObject([{ kind: 'jwt', start: 4 }]);
  });

  it('AR31: equal secrets have equal digests, which say nothing under another salt', () => {
    const { findings } = redact(`${github} and ${anthropic} and ${github}`);
    expect(findings.map(({ kind }) => kind)).toEqual(['github-token', 'anthropic-key', 'github-token']);
    expect(findings[0]?.digest).toBe(findings[2]?.digest);
    expect(findings[0]?.digest).not.toBe(findings[1]?.digest);
    const other = redactText(github, new Uint8Array(16).fill(1), nobleCrypto).findings[0];
    expect(other?.digest).not.toBe(findings[0]?.digest);
  });

  it('AR32: the pieces of a secret cut over lines are replaced in each line, whichever way it was cut', () => {
    for (let cut = 4; cut <= github.length - 4; cut++) {
      const lines = [`{"text":"key: ${github.slice(0, cut)}"}`, `{"text":"${github.slice(cut)} done"}`];
      const [first = '', last = ''] = lines.map((line) => redactPieces(line, 'github-token', github));
      expect(first).toBe('{"text":"key: [redacted:github-token]"}');
      expect(last).toBe('{"text":"[redacted:github-token] done"}');
    }
    const middle = `{"text":"${github.slice(5, 20)}","kind":"text"}`;
    expect(redactPieces(middle, 'github-token', github)).toBe('{"text":"[redacted:github-token]","kind":"text"}');
    const innocent = '{"text":"nothing of it","id":"abcd"}';
    expect(redactPieces(innocent, 'github-token', github)).toBe(innocent);
  });
});
