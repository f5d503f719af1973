import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { start } from './heliograph-process.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

it('RL62: every setting, flag, file and metric that the files for operators name is there', async () => {
  const help = start(['relay', '--help'], { home: tmpdir() });
  await help.ended;
  const settings = new Set(
    help
      .stdout()
      .replace(/\s+/g, ' ')
      .match(/HELIOGRAPH_[A-Z_]+/g),
  );
  const compose = read('docker-compose.yml');
  const relay = compose.slice(compose.indexOf('  relay:'), compose.indexOf('  caddy:'));
  const used = [
    ...relay.matchAll(/^ {6}(HELIOGRAPH_[A-Z_]+):/gm),
    ...read('infra/docker/Dockerfile').matchAll(/(HELIOGRAPH_[A-Z_]+)=/g),
  ];
  expect(used.length).toBeGreaterThan(6);
  for (const [, name = ''] of used) if (name !== 'HELIOGRAPH_LOG') expect(settings, name).toContain(name);
  const ours = read('infra/systemd/heliograph-relay.service').match(/heliograph\.mjs .*/g) ?? [];
  for (const [, flag = ''] of ours.join('\n').matchAll(/ (--[a-z-]+)/g)) {
    if (flag !== '--version') expect(help.stdout()).toContain(`${flag} `);
  }
  for (const [, path = ''] of compose.matchAll(/(?:dockerfile: |- \.\/)(infra\/[\w./-]+)/g))
    expect(read(path)).not.toBe('');

  const source = readdirSync(join(root, 'apps/relay/src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(`apps/relay/src/${name}`))
    .join('\n');
  const metrics = new Set(read('infra/grafana/heliograph-relay.json').match(/heliograph_relay_\w+/g));
  expect(metrics.size).toBeGreaterThan(8);
  for (const metric of metrics) {
    expect(source, metric).toMatch(new RegExp(`\\b${metric.replace('heliograph_relay_', '')}\\b`));
  }
});
