// The documents are true: every rule of docs/SPEC.md has a test that carries its id and the other way round, and every
// file and link that a document names is there.
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isMain, repositoryRoot } from './bootstrap.mjs';
import { sourceFiles } from './source-files.mjs';

const specFile = 'docs/SPEC.md';
const rulePattern = /^[-*] \*\*([A-Z]{2}\d+)\*\*/gm;
const titlePattern = /['"`]((?:[A-Z]{2}\d+)(?:, [A-Z]{2}\d+)*): /g;

/** The rule ids of the specification, in order, repeats included. */
export function ruleIds(spec) {
  return [...spec.matchAll(rulePattern)].map(([, id]) => id);
}

/** The rule ids that the test titles in a source text begin with: `'NO3: …'` or `'NO3, NO4: …'`. */
export function titleIds(source) {
  return [...source.matchAll(titlePattern)].flatMap(([, ids]) => ids.split(', '));
}

/** What does not fit between rules and tests; `tested` maps an id to a file whose test carries it. */
export function ruleProblems(rules, tested) {
  const known = new Set(rules);
  const twice = rules.filter((id, index) => rules.indexOf(id) !== index);
  return [
    ...twice.map((id) => `${specFile}: the id ${id} is used twice`),
    ...[...known].filter((id) => !tested.has(id)).map((id) => `${specFile}: no test title begins with ${id}`),
    ...[...tested].filter(([id]) => !known.has(id)).map(([id, file]) => `${file}: ${specFile} has no rule ${id}`),
  ];
}

/** The paths a document names, from the root: relative links, and code spans that begin with one of our folders. */
export function namedPaths(document, text) {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target.replace(/#.*$/, ''));
  const relative = links.filter((target) => target !== '' && !/^[a-z]+:/i.test(target));
  const spans = [...prose.matchAll(/`((?:apps|packages|docs|fixtures|e2e|scripts|infra|\.ci)\/[\w./@-]+)`/g)];
  return [
    ...relative.map((target) => posix.join(posix.dirname(document), decodeURI(target))),
    ...spans.map(([, path]) => path),
  ];
}

function findProblems(root) {
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const files = sourceFiles(root);
  const documents = files.filter((path) => path.endsWith('.md') && !path.startsWith('fixtures/'));
  const broken = documents.flatMap((document) =>
    namedPaths(document, read(document))
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${document}: names ${path}, which is not there`),
  );
  if (!existsSync(join(root, specFile))) return broken;
  const tested = new Map();
  const isTest = (path) => /^(apps|packages|e2e|scripts)\/.*(\.test\.(ts|tsx|mjs)|\/contract\/[\w-]+\.ts)$/.test(path);
  for (const file of files.filter(isTest)) for (const id of titleIds(read(file))) tested.set(id, file);
  return [...broken, ...ruleProblems(ruleIds(read(specFile)), tested)];
}

if (isMain(import.meta.url)) {
  const problems = findProblems(repositoryRoot);
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
