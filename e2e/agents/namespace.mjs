import { spawn } from 'node:child_process';
import { constants } from 'node:os';

// Real agents run where only the loopback interface exists: whatever they try to tell anybody stays unsaid, and every
// process they leave behind dies with the namespace.

/** Brings the loopback up (perl where iproute2 is not installed: SIOCSIFFLAGS, IFF_UP|IFF_RUNNING), then runs the command. */
const LOOPBACK_UP = `ip link set lo up 2>/dev/null || perl -e '$up=pack("a16s","lo",0x41); socket(S,2,1,0) && ioctl(S,0x8914,$up) or die "loopback: $!\\n"'`;

const flags = (asRoot) => [
  ...(asRoot ? [] : ['--map-root-user']),
  '--net',
  '--mount',
  '--pid',
  '--fork',
  '--mount-proc',
  '--kill-child',
];

/**
 * Runs a command without a network and resolves to its exit code. `privateFolder` becomes an empty folder that only the
 * command sees. Rejects with a sentence where the system allows no namespaces.
 */
export async function runWithoutNetwork(command, { env = process.env, privateFolder } = {}) {
  const asRoot = process.getuid?.() === 0;
  if ((await run('unshare', [...flags(asRoot), 'true'], { stdio: 'ignore' })) !== 0) {
    throw new Error(
      'Real agents run only where they can reach no network, which takes Linux with unshare (util-linux) and either root or ' +
        'unprivileged user namespaces. Run this as root, or allow them: sysctl -w kernel.unprivileged_userns_clone=1',
    );
  }
  const prepare = `${LOOPBACK_UP}; ${privateFolder ? `mount -t tmpfs tmpfs ${privateFolder}; ` : ''}exec "$@"`;
  return run('unshare', [...flags(asRoot), 'sh', '-ec', prepare, 'sh', ...command], { stdio: 'inherit', env });
}

function run(program, args, options) {
  return new Promise((resolve) => {
    const child = spawn(program, args, options);
    child.on('error', () => resolve(127));
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}
