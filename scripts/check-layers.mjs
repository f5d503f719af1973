// Who may import whom (ARCHITECTURE.md, Layout): apps compose packages, packages are layered, pure packages know no platform.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isMain, repositoryRoot } from './bootstrap.mjs';
import { sourceFiles } from './source-files.mjs';

const scope = '@heliograph/';
/** What a package's own code may import of ours; its tests may use crypto too, to have a real engine. */
const packageLayers = {
  wire: [],
  crypto: ['wire'],
  transcript: ['wire'],
  client: ['wire'],
  relay: ['wire'],
  record: ['wire'],
};
const purePackages = ['wire', 'transcript', 'client', 'record'];
/** The one app that puts the others together. */
const composer = 'heliograph';

/** Tests, and what only tests import: suites for every implementation, scripted other sides. */
const testPattern = /\/test(ing)?\/|\.(test|bench)\.[a-z]+$|\/(contract\/[\w-]+|scripted-[\w-]+)\.ts$/;

const importPattern =
  /(?:^|[\s;])(?:import|export)\s[^'"]*?from\s*['"]([^'"]+)['"]|(?:^|[\s;])import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g;

/** The module names a source text imports or re-exports. */
export function importsOf(text) {
  return [...text.matchAll(importPattern)].map((match) => match[1] ?? match[2] ?? match[3]);
}

/** One sentence for each import of this file that goes against the layers. `path` is from the root, with slashes. */
export function layerProblems(path, imports) {
  const [layer, name] = path.split('/');
  if (layer !== 'packages' && layer !== 'apps') return [];
  const isTest = testPattern.test(path);
  const problemOf = layer === 'packages' ? packageProblem : appProblem;
  return imports.flatMap((specifier) => {
    const problem = specifier.startsWith('.') ? strayProblem(path, specifier) : problemOf(name, specifier, isTest);
    return problem === undefined ? [] : [`${path}: imports ${specifier}, but ${problem}`];
  });
}

function packageProblem(name, specifier, isTest) {
  const other = ourName(specifier);
  if (other === undefined) {
    const isNode = specifier.startsWith('node:') && purePackages.includes(name) && !isTest;
    return isNode ? `packages/${name} runs in browsers too` : undefined;
  }
  const allowed = [...(packageLayers[name] ?? []), ...(isTest ? ['wire', 'crypto'] : [])];
  if (other === name || allowed.includes(other)) return undefined;
  return `packages/${name} may import ${allowed.length > 0 ? `only ${allowed.join(' and ')}` : 'none'} of ours`;
}

function appProblem(name, specifier, isTest) {
  const isApp = ourName(specifier)?.startsWith('app-') ?? false;
  return isApp && name !== composer && !isTest
    ? `apps do not import each other; only apps/${composer} does`
    : undefined;
}

function strayProblem(path, specifier) {
  const target = posix.join(posix.dirname(path), specifier);
  const home = path.split('/').slice(0, 2).join('/');
  const isFixture = target.startsWith('fixtures/') || target.startsWith('e2e/agents/');
  return target.startsWith(`${home}/`) || isFixture
    ? undefined
    : `files of ${home} reach other folders by package name`;
}

function ourName(specifier) {
  return specifier.startsWith(scope) ? specifier.slice(scope.length).split('/')[0] : undefined;
}

if (isMain(import.meta.url)) {
  const files = sourceFiles(repositoryRoot).filter((path) => /\.(ts|tsx|mts|mjs|js)$/.test(path));
  const problems = files.flatMap((path) =>
    layerProblems(path, importsOf(readFileSync(join(repositoryRoot, path), 'utf8'))),
  );
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
