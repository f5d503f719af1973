import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findProgram, freePort, ServerProcess } from '../../../fixtures/servers/server-process.ts';
import { run, start } from './heliograph-process.ts';

const shipped = readFileSync(join(import.meta.dirname, '..', '..', '..', 'infra/nginx/heliograph-relay.conf'), 'utf8');

/** Debian's nginx with the file that is shipped, changed as its own comments say. */
async function startProxy(port: number, target: number, location: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-nginx-'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  for (const name of temporary) mkdirSync(join(folder, name));
  const site = shipped
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('relay.example.org;', '127.0.0.1;')
    .replace('127.0.0.1:7447', `127.0.0.1:${target}`)
    .replace('location / {', `location ${location} {`);
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const paths = temporary.map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ');
  writeFileSync(join(folder, 'nginx.conf'), `${user} events {} http { access_log off; ${paths}\n${site}\n}`);
  const nginx = findProgram('nginx', ['/usr/sbin'], 'nginx-light');
  const settings = `daemon off; pid ${join(folder, 'pid')}; error_log stderr notice;`;
  const args = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf'), '-g', settings];
  const proxy = await ServerProcess.start(nginx, args, /start worker process/);
  onTestFinished(async () => {
    await proxy.end('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  });
}

it.each(['/', '/agents'])(
  'RL135: behind nginx with the shipped file at %s doctor finds everything well, and metrics stay inside',
  async (location) => {
    const home = mkdtempSync(join(tmpdir(), 'heliograph-proxy-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    await run(['keys', 'new', '--out', 'owner.key'], { home });
    const port = await freePort();
    const publicUrl = `ws://127.0.0.1:${port}${location === '/' ? '' : location}`;
    const flags = ['--port', '0', '--data', 'relay', '--public-url', publicUrl, '--trusted-proxy', '127.0.0.1'];
    const relay = start(['relay', ...flags], { home });
    const { url = '' } = await relay.ready('relay');
    expect(url.replace(/\/$/, '')).toBe(publicUrl);
    await relay.says(/relay is listening/);
    const target = Number(/"?port"?: ?"?(\d+)/.exec(relay.stderr())?.[1]);
    await startProxy(port, target, location);
    const doctor = await run(['doctor', publicUrl], { home });
    expect(doctor).toMatchObject({ code: 0 });
    expect(doctor.stdout).not.toMatch(/^(?!ok ).+/m);
    expect(doctor.stdout).toMatch(/^ok +echo/m);
    expect(doctor.stdout).toMatch(/^ok +page: served whole/m);
    const through = publicUrl.replace('ws', 'http');
    expect((await fetch(`${through}/metrics`)).status).toBe(403);
    expect((await fetch(`http://127.0.0.1:${target}/metrics`)).status).toBe(200);
    relay.signal('SIGTERM');
    expect(await relay.ended).toEqual({ code: 0 });
  },
  60_000,
);
