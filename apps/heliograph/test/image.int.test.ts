import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { nobleCrypto } from '@heliograph/crypto/noble';
import { encodeNpub, eventSigner } from '@heliograph/wire';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { start, startProgram } from './heliograph-process.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const dockerfile = readFileSync(join(root, 'infra/docker/Dockerfile'), 'utf8').replace(/\\\n/g, ' ');
const folder = mkdtempSync(join(tmpdir(), 'heliograph-image-'));
const app = join(folder, 'app');
const data = join(folder, 'data');
const owner = encodeNpub(eventSigner(new Uint8Array(32).fill(1), nobleCrypto).publicKey);

/** The user of the image, where this may become another: a container's root file system then is for reading only as well. */
const isRoot = process.getuid?.() === 0;
const uid = Number(/--uid (\d+)/.exec(dockerfile)?.[1]);
const asUser = isRoot ? ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--bounding-set=-all'] : [];

/** Does what the Dockerfile's last stage does, from the same checkout, without an engine. */
function lay(): void {
  let workdir = '/';
  for (const line of dockerfile.split('\n')) {
    workdir = /^WORKDIR (\S+)/.exec(line)?.[1] ?? workdir;
    const copied = /^COPY --from=build (.+)/.exec(line)?.[1]?.split(/\s+/);
    const to = copied?.pop();
    if (copied === undefined || to === undefined) continue;
    for (const from of copied) {
      const target = to.endsWith('/') ? join(to, basename(from)) : to;
      const path = join(folder, target.startsWith('/') ? target : join(workdir, target));
      mkdirSync(dirname(path), { recursive: true });
      cpSync(join(root, from.replace(/^\/src\//, '')), path, { recursive: true, dereference: true });
    }
  }
  // Where the image has /app this has another place.
  const entry = join(app, 'entry.mjs');
  writeFileSync(entry, readFileSync(entry, 'utf8').replaceAll("'/app/", `'${app}/`));
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) chownSync(data, uid, uid);
  chmodSync(folder, 0o755);
}

function run(words: readonly string[], env: Record<string, string> = {}) {
  const [program = process.execPath, ...args] = [...asUser, process.execPath, ...words];
  return startProgram(program, args, { home: folder, cwd: '/', env });
}

beforeAll(async () => {
  // The command builds what the image copies, where that is older than its source.
  await start(['--version'], { home: folder }).ended;
  lay();
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('RL134: what the Dockerfile copies is all that the relay needs: as its user it loads the addon, serves, is healthy, and stops when told', async () => {
  const [, checks = ''] = /^RUN (node \/app.*)$/m.exec(dockerfile) ?? [];
  execFileSync('sh', ['-ec', checks.replaceAll('/app/', `${app}/`)], { cwd: '/', env: { PATH: process.env.PATH } });
  const settings = Object.fromEntries([...dockerfile.matchAll(/(HELIOGRAPH_[A-Z]+)=(\S+)/g)].map(([, k, v]) => [k, v]));
  expect(settings).toMatchObject({ HELIOGRAPH_HOST: '0.0.0.0', HELIOGRAPH_DATA: '/data/relay' });
  const [command = ''] = JSON.parse(/^CMD (.+)$/m.exec(dockerfile)?.[1] ?? '[]') as string[];
  const relay = run([join(app, 'entry.mjs'), command, '--verify-workers', '1'], {
    ...settings,
    HELIOGRAPH_PORT: '0',
    HELIOGRAPH_DATA: join(data, 'relay'),
    HELIOGRAPH_OWNER: owner,
  });
  const { url = '' } = await relay.ready('relay');
  const port = new URL(url).port;
  // The HEALTHCHECK of the image, as it stands there.
  const health = JSON.parse(/^HEALTHCHECK .*?CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]') as string[];
  const healthy = startProgram(health[0] ?? '', health.slice(1), { home: folder, env: { HELIOGRAPH_PORT: port } });
  expect(await healthy.ended).toEqual({ code: 0 });
  const page = await fetch(`http://127.0.0.1:${port}/`);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/html/)]);
  expect(await page.text()).toContain('<script type="module"');
  expect(relay.stderr()).toMatch(/libsecp256k1|tiny-secp256k1/);
  const kept = readdirSync(join(data, 'relay')).map((name) => statSync(join(data, 'relay', name)));
  for (const { mode, uid: of } of kept) expect([mode & 0o777, of]).toEqual([0o600, isRoot ? uid : process.getuid?.()]);
  relay.signal(/^STOPSIGNAL (\S+)$/m.exec(dockerfile)?.[1] as NodeJS.Signals);
  expect(await relay.ended).toEqual({ code: 0 });
}, 120_000);

it('RL134: a volume that its user may not write ends the container with the path and the uid', async () => {
  const foreign = join(folder, 'foreign');
  mkdirSync(foreign, { mode: 0o555 });
  const relay = run([join(app, 'entry.mjs'), 'relay'], {
    HELIOGRAPH_PORT: '0',
    HELIOGRAPH_DATA: join(foreign, 'relay'),
    HELIOGRAPH_OWNER: owner,
  });
  expect((await relay.ended).code).not.toBe(0);
  expect(relay.stderr()).toContain(foreign);
  expect(relay.stderr()).toMatch(new RegExp(`uid ${isRoot ? uid : process.getuid?.()}\\b`));
}, 60_000);

it('RL134: with Debian slim, Node and libsecp256k1 the image stays under 150 MB compressed', () => {
  const packed = (path: string): number =>
    Number(execFileSync('sh', ['-c', `tar -cf - -C "$0" . | gzip -6 | wc -c`, path], { encoding: 'utf8' }));
  expect(existsSync(join(app, 'ui', 'index.html'))).toBe(true);
  // node:20-bookworm-slim is 75 MB, tini and libsecp256k1-1 are one.
  expect(packed(app) / 1e6).toBeLessThan(70);
}, 60_000);
