import type { AgentService } from './agent-service.ts';

/** The first line of every file this program may replace or remove. */
export const UNIT_MARK = '# Written by `heliograph agent install`; `heliograph agent uninstall` takes it away.';

/** The text of a systemd user unit. Values are quoted so that whatever stands in them is one word and nothing is expanded. */
export function systemdUnit({ name, command, env, envFile }: AgentService): string {
  const variables = Object.entries(env).map(([key, value]) => `Environment=${quoted(`${key}=${value}`)}`);
  return `${UNIT_MARK}
[Unit]
Description=Heliograph agent ${name}
StartLimitIntervalSec=0

[Service]
ExecStart=${command.map((word) => quoted(word).replaceAll('$', '$$$$')).join(' ')}
${variables.join('\n')}
EnvironmentFile=-${escaped(envFile)}
UMask=0077
Restart=on-failure
# Longer each time, up to five minutes (systemd 254 and newer).
RestartSec=5
RestartSteps=6
RestartMaxDelaySec=300
# Bad usage: starting again mends nothing.
RestartPreventExitStatus=2
KillMode=mixed
TimeoutStopSec=30

[Install]
WantedBy=default.target
`;
}

function quoted(text: string): string {
  const inner = escaped(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `"${inner.replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r')}"`;
}

/** `%` begins a specifier of systemd's. */
function escaped(text: string): string {
  return text.replaceAll('%', '%%');
}
