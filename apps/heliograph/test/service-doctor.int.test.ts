import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { askSystem, checkServices } from '../src/service/service-check.ts';
import { serviceManager } from '../src/service/service-manager.ts';
import { run } from './heliograph-process.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'heliograph-doctor-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const bin = () => join(home, 'bin');
const env = () => ({ HOME: home, PATH: bin(), XDG_CONFIG_HOME: '' });

/** Programs of the system: what each says to words that hold a pattern of the shell's, and how it ends. */
function system(programs: Readonly<Record<string, Readonly<Record<string, readonly [string, number]>>>>) {
  rmSync(bin(), { recursive: true, force: true });
  mkdirSync(bin());
  for (const [program, answers] of Object.entries(programs)) {
    const cases = Object.entries(answers).map(
      ([words, [said, code]]) => `*'${words}'*) printf '%s\\n' '${said}'; exit ${code};;`,
    );
    writeFileSync(join(bin(), program), `#!/bin/sh\ncase "$*" in ${cases.join('\n')}\nesac\nexit 9\n`);
    chmodSync(join(bin(), program), 0o755);
  }
}

function installed(folder: string, file: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), '');
  return join(folder, file);
}

const well = {
  systemctl: { 'is-active': ['active', 0], 'is-enabled': ['enabled', 0] },
  loginctl: { Linger: ['Linger=yes', 0] },
} as const;
const me = userInfo().username;

describe('the doctor and agents that are services', () => {
  test.each([
    ['runs and starts at boot', well, true, /^ok {3}agent service claude: it runs, and does after every boot$/m],
    [
      'does not run',
      { ...well, systemctl: { ...well.systemctl, 'is-active': ['failed', 3] } },
      false,
      /^FAIL agent service claude: .*claude\.service: it does not run; journalctl .* \(systemctl --user is-active .*\.service says: failed\)\. Mend it with: systemctl --user restart heliograph-agent-claude\.service$/m,
    ],
    [
      'is not enabled',
      { ...well, systemctl: { ...well.systemctl, 'is-enabled': ['disabled', 1] } },
      false,
      /it runs, but is not started at boot \(.* says: disabled\)\. Mend it with: systemctl --user enable heliograph-agent-claude\.service$/m,
    ],
    [
      'ends with the login',
      { ...well, loginctl: { Linger: ['Linger=no', 0] } },
      false,
      new RegExp(`it runs, but only while you are logged in .*Mend it with: loginctl enable-linger ${me}$`, 'm'),
    ],
    ['has no systemctl', {}, false, /systemctl is not here, so nothing starts this agent\./],
  ] as const)('HA219: of an agent that %s it says so, and the mend', async (_, programs, ok, sentence) => {
    system(programs);
    installed(join(home, '.config', 'systemd', 'user'), 'heliograph-agent-claude.service');
    // No relay is there: what is told of the agent does not hang on that.
    const { stdout } = await run(['doctor', 'ws://127.0.0.1:9'], { home, env: env() });
    expect(stdout).toMatch(sentence);
    expect(/^FAIL agent service/m.test(stdout)).toBe(!ok);
  });

  test('HA219: where none is installed it says how to', async () => {
    system(well);
    const { stdout } = await run(['doctor', 'ws://127.0.0.1:9'], { home, env: env() });
    expect(stdout).toMatch(/^ok {3}agent service: none is installed .*`heliograph agent install`/m);
  });

  test.each([
    ['runs', { 'print gui': ['state = running', 0], 'print-disabled': ['{ }', 0] }, 'it runs, and does'],
    ['is not loaded', { 'print gui': ['Could not find service', 113] }, 'launchd does not know it'],
    ['has ended', { 'print gui': ['state = not running', 0] }, 'it does not run; '],
    [
      'is disabled',
      {
        'print gui': ['state = running', 0],
        'print-disabled': ['"org.heliograph.agent.claude" => disabled', 0],
      },
      'it runs, but is not started when you log in',
    ],
  ] as const)('HA219: of a launchd agent that %s it says so', (_, answers, words) => {
    system({ launchctl: answers });
    installed(join(home, 'Library', 'LaunchAgents'), 'org.heliograph.agent.claude.plist');
    const [finding] = checkServices(serviceManager('launchd', env()), askSystem(env(), home));
    expect(finding).toMatchObject({ check: 'agent service claude', text: expect.stringContaining(words) });
    expect(finding?.ok).toBe(words.startsWith('it runs, and'));
    if (finding?.ok !== true) expect(finding?.text).toContain('Mend it with: launchctl ');
  });
});
