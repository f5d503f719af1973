import type { AgentService } from './agent-service.ts';
import { UNIT_MARK } from './systemd-unit.ts';

/** The label launchd knows a service by. */
export function launchdLabel(name: string): string {
  return `org.heliograph.agent.${name}`;
}

/** The text of a launchd agent's property list. `logFile` takes what the service says on stderr: warnings and errors. */
export function launchdPlist({ name, command, env, envFile }: AgentService, logFile: string): string {
  // launchd has no file of variables: a shell reads it, as words of its own and never as part of the script.
  const script = 'if [ -f "$0" ]; then set -a; . "$0"; set +a; fi; exec "$@"';
  const words = ['/bin/sh', '-c', script, envFile, ...command];
  const variables = Object.entries({ HELIOGRAPH_LOG: 'warn', ...env });
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${UNIT_MARK} -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${string(launchdLabel(name))}
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    ${string(word)}`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.map(([key, value]) => `    <key>${key}</key>\n    ${string(value)}`).join('\n')}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>30</integer>
  <key>ExitTimeOut</key>
  <integer>30</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardOutPath</key>
  <string>/dev/null</string>
  <key>StandardErrorPath</key>
  ${string(logFile)}
</dict>
</plist>
`;
}

function string(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<string>${escaped.replaceAll('\r', '&#13;')}</string>`;
}
