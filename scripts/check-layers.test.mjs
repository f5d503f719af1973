import { expect, test } from 'vitest';
import { importsOf, layerProblems } from './check-layers.mjs';

test('IN6: every form of import is seen', () => {
  const text = `import a from 'a';\nimport {\n  b,\n} from "b";\nexport * from './c.ts';\nimport 'd';\nconst e = await import('e');\nimport type { F } from 'f';`;
  expect(importsOf(text)).toEqual(['a', 'b', './c.ts', 'd', 'e', 'f']);
});

test('IN6: what the layers allow passes', () => {
  expect(layerProblems('packages/crypto/src/a.ts', ['@heliograph/wire', 'node:crypto', './b.ts'])).toEqual([]);
  expect(
    layerProblems('packages/wire/src/a.test.ts', ['@heliograph/crypto/noble', 'node:fs', '../../../fixtures/a.json']),
  ).toEqual([]);
  expect(layerProblems('apps/heliograph/src/a.ts', ['@heliograph/app-relay'])).toEqual([]);
  expect(layerProblems('apps/harness/test/a.int.test.ts', ['@heliograph/app-relay'])).toEqual([]);
});

test.each([
  ['packages/wire/src/a.ts', '@heliograph/crypto/noble'],
  ['packages/wire/src/a.ts', 'node:fs'],
  ['packages/client/src/a.ts', '@heliograph/transcript'],
  ['packages/transcript/src/a.test.ts', '@heliograph/client'],
  ['packages/relay/src/a.ts', '@heliograph/app-relay'],
  ['packages/relay/src/a.ts', '@heliograph/crypto/node'],
  ['apps/harness/src/a.ts', '@heliograph/app-relay'],
  ['apps/relay/src/a.ts', '../../../packages/relay/src/engine.ts'],
])('IN6: %s must not import %s', (path, specifier) => {
  expect(layerProblems(path, [specifier])).toHaveLength(1);
});
