import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactLine } from './redact.ts';
import { hideSecretArgs, hideSecrets } from './secret-shapes.ts';

const SECRET = 'S3CRET-canary';
const servers = { mcpServers: [{ name: 'm', command: 'c', args: [], env: [{ name: 'KEY', value: SECRET }] }] };
const CASES: readonly (readonly [what: string, line: string, pointers: readonly string[]])[] = [
  [
    'env of an MCP server',
    JSON.stringify({ method: 'session/new', params: { cwd: '/', ...servers } }),
    ['/params/mcpServers/0/env/0/value'],
  ],
  [
    'headers of an MCP server',
    JSON.stringify({
      method: 'session/load',
      params: { mcpServers: [{ type: 'http', url: 'u', headers: [{ name: 'A', value: SECRET }] }] },
    }),
    ['/params/mcpServers/0/headers/0/value'],
  ],
  [
    'env as a map',
    JSON.stringify({ params: { mcpServers: [{ env: { 'K/1': SECRET } }] } }),
    ['/params/mcpServers/0/env/K~11'],
  ],
  [
    'a terminal',
    JSON.stringify({ id: 1, method: 'terminal/create', params: { command: 'x', env: [{ name: 'K', value: SECRET }] } }),
    ['/params/env/0/value'],
  ],
  [
    'an auth method',
    JSON.stringify({ id: 1, result: { authMethods: [{ id: 'a', env: { TOKEN: SECRET } }] } }),
    ['/result/authMethods/0/env/TOKEN'],
  ],
  [
    'a provider',
    JSON.stringify({ method: 'providers/set', params: { baseUrl: 'u', headers: { Authorization: SECRET } } }),
    ['/params/headers/Authorization'],
  ],
  [
    'credentials',
    JSON.stringify({ method: 'authenticate', params: { methodId: 'key', _meta: { apiKey: SECRET } } }),
    ['/params/_meta'],
  ],
  ['a batch', JSON.stringify([1, { params: servers }]), ['/1/params/mcpServers/0/env/0/value']],
  [
    'a duplicate key',
    `{"params":{"mcpServers":[{"env":[{"value":"${SECRET}","value":"${SECRET}"}]}],"mcpServers":[]}}`,
    ['/params/mcpServers/0/env/0/value'],
  ],
  ['a duplicate params', `{"params":{"env":[{"value":"${SECRET}"}]},"params":{}}`, ['/params/env/0/value']],
  [
    'an escaped key',
    `{"params":{"mcpServers":[{"\\u0065nv":[{"val\\u0075e":"${SECRET}"}]}]}}`,
    ['/params/mcpServers/0/env/0/value'],
  ],
  ['an escaped method', `{"method":"\\u0061uthenticate","params":{"token":"${SECRET}"}}`, ['/params/token']],
  ['a BOM', `\uFEFF{"params":{"env":[{"value":"${SECRET}"}]}}`, ['/params/env/0/value']],
  ['an object as a value', `{"params":{"env":[{"value":{"a":"${SECRET}"}}]}}`, ['/params/env/0/value']],
];

describe('secrets in lines', () => {
  test.each(CASES)('HA7: %s is replaced by token position, the rest stays the exact text', (_what, line, pointers) => {
    const redacted = redactLine(line);
    expect(redacted.text).not.toContain(SECRET);
    expect(redacted.pointers).toEqual(pointers);
    expect(() => JSON.parse(redacted.text.replace('\uFEFF', ''))).not.toThrow();
  });

  test('HA7: white space, numbers and order around a secret are left alone', () => {
    const line = `{ "z" : 1.0 , "params" : { "env" : [ { "name":"K" , "value" : "${SECRET}" } ] , "n" : 1e2 } }`;
    expect(redactLine(line).text).toBe(line.replace(`"${SECRET}"`, '"[redacted]"'));
  });

  test('HA7: lines without such places are the same text, whatever JSON they are', () => {
    fc.assert(
      fc.property(fc.json(), (line) => {
        const { text, pointers } = redactLine(line);
        expect(pointers).toEqual([]);
        expect(text).toBe(line);
      }),
    );
  });
});

describe('secrets in free text', () => {
  test.each([
    'sk-ant-api03-abcdefghijklmnop',
    'ghp_abcdefghijklmnopqrstuvwxyz0123',
    'github_pat_11ABCDEFG0abcdefghijkl',
    'AKIAIOSFODNN7EXAMPLE',
    `AIza${'x'.repeat(35)}`,
    `nsec1${'q'.repeat(58)}`,
    'xoxb-1234567890-abcdef',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc123',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
  ])('HA8: %s is hidden', (secret) => {
    expect(hideSecrets(`before ${secret} after`)).toBe('before [redacted] after');
  });

  test('HA8: named values keep their name', () => {
    expect(hideSecrets('Authorization: Bearer abcdefgh123')).toBe('Authorization: Bearer [redacted]');
    expect(hideSecrets('OPENAI_API_KEY=abcdef and password: hunter22')).toBe(
      'OPENAI_API_KEY=[redacted] and password: [redacted]',
    );
    expect(hideSecrets('https://me:pass@host/x')).toBe('https://me:[redacted]@host/x');
    expect(hideSecrets('nothing of the sort: 42 tokens used')).toBe('nothing of the sort: 42 tokens used');
  });

  test('HA8: arguments, joined or apart', () => {
    expect(hideSecretArgs(['--acp', '--api-key', 'abc', '--token=def123', '--model', 'x'])).toEqual([
      '--acp',
      '--api-key',
      '[redacted]',
      '--token=[redacted]',
      '--model',
      'x',
    ]);
  });
});
