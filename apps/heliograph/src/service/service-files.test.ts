import { describe, expect, it } from 'vitest';
import type { AgentService } from './agent-service.ts';
import { launchdPlist } from './launchd-plist.ts';
import { systemdUnit } from './systemd-unit.ts';

/** Everything that means something to systemd, a shell or XML. */
const NASTY = 'a b"c\'d\\e%f$g$HOME&<h>\n[Service]\nExecStart=/bin/false\ti;j|k`l`$(m)]]>é';

const service: AgentService = {
  name: 'claude',
  command: ['/opt/no de/bin/node', '/opt/heliograph.mjs', 'agent', `--name=${NASTY}`, '--', 'acp', NASTY, ''],
  env: { PATH: '/usr/bin:/opt/%h/$bin', LANG: 'C.UTF-8' },
  envFile: '/home/50% me/agents/claude.env',
};

/** Values of a key in a unit, in order, as systemd reads the text: one line each. */
function valuesOf(unit: string, key: string): string[] {
  return unit.split('\n').flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));
}

/** The words of a value in double quotes, undone as systemd.service(5) and systemd.syntax(7) say. */
function unquote(value: string): string[] {
  return [...value.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inner = '']) =>
    inner.replace(/\\(.)/g, (_, char: string) => ({ n: '\n', t: '\t', r: '\r' })[char] ?? char).replaceAll('%%', '%'),
  );
}

describe('what a service is written as', () => {
  it('CL38: a systemd unit runs the very words, whatever stands in them, and restarts with a back-off', () => {
    const unit = systemdUnit(service);
    const [exec = '', ...more] = valuesOf(unit, 'ExecStart');
    expect(more).toEqual([]);
    expect(unquote(exec).map((word) => word.replaceAll('$$', '$'))).toEqual(service.command);
    expect(exec.replaceAll('$$', '')).not.toContain('$');
    expect(valuesOf(unit, 'Environment').flatMap(unquote)).toEqual(['PATH=/usr/bin:/opt/%h/$bin', 'LANG=C.UTF-8']);
    expect(valuesOf(unit, 'EnvironmentFile')).toEqual(['-/home/50%% me/agents/claude.env']);
    expect(valuesOf(unit, 'Restart')).toEqual(['on-failure']);
    expect(valuesOf(unit, 'RestartPreventExitStatus')).toEqual(['2']);
    expect(valuesOf(unit, 'WantedBy')).toEqual(['default.target']);
    expect(unit.match(/^\[.*\]$/gm)).toEqual(['[Unit]', '[Service]', '[Install]']);
  });

  it('CL39: a launchd property list holds the same words and variables, and starts again after a failure only', () => {
    const list = readPlist(launchdPlist(service, '/Users/me/Library/Logs/x.log')) as Record<string, unknown>;
    const [shell, option, script, ...words] = list.ProgramArguments as string[];
    expect([shell, option]).toEqual(['/bin/sh', '-c']);
    expect(script).toContain('exec "$@"');
    expect(words).toEqual([service.envFile, ...service.command]);
    expect(list).toMatchObject({
      Label: 'org.heliograph.agent.claude',
      EnvironmentVariables: { HELIOGRAPH_LOG: 'warn', ...service.env },
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      StandardErrorPath: '/Users/me/Library/Logs/x.log',
    });
  });
});

/** Reads a property list strictly: what is not well formed throws. */
function readPlist(text: string): unknown {
  const body = text.replace(/^<\?xml[^>]*\?>\n<!--(?:(?!--)[\s\S])*-->\n<!DOCTYPE[^>]*>\n/, '');
  const tokens = [...body.matchAll(/<(\/?)([a-z]+)(?: version="1.0")?(\/?)>|([^<]+)/g)];
  if (tokens.map(([all]) => all).join('') !== body) throw new Error('not well formed');
  let at = 0;
  const next = () => tokens[at++] as RegExpExecArray;
  const skipSpace = () => {
    while (tokens[at]?.[4] !== undefined && tokens[at]?.[4]?.trim() === '') at++;
  };
  const close = (name: string) => {
    skipSpace();
    if (next()[0] !== `</${name}>`) throw new Error(`${name} is not closed`);
  };
  const text4 = (): string => {
    const raw = tokens[at]?.[4] === undefined ? '' : (next()[4] ?? '');
    if (/&(?!amp;|lt;|gt;|#13;)/.test(raw)) throw new Error('a bare &');
    return raw.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&#13;', '\r').replaceAll('&amp;', '&');
  };
  const value = (): unknown => {
    skipSpace();
    const [, , name = '', isEmpty] = next();
    if (isEmpty === '/') return name === 'true';
    let read: unknown;
    if (name === 'dict') {
      const entries: Record<string, unknown> = {};
      for (skipSpace(); tokens[at]?.[0] === '<key>'; skipSpace()) {
        next();
        const key = text4();
        close('key');
        entries[key] = value();
      }
      read = entries;
    } else if (name === 'array' || name === 'plist') {
      const items: unknown[] = [];
      for (skipSpace(); tokens[at]?.[1] !== '/'; skipSpace()) items.push(value());
      read = name === 'plist' ? items[0] : items;
    } else read = name === 'integer' ? Number(text4()) : text4();
    close(name);
    return read;
  };
  return value();
}
