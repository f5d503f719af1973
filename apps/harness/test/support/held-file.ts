import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Stage } from './stage.ts';

/** F_SETLEASE of F_RDLCK: until it is let go (or after 45 s) the kernel lets nobody open the file for writing. */
const LEASE = `
open(my $file, '<', $ARGV[0]) or die "$ARGV[0]: $!";
$SIG{IO} = 'IGNORE';
fcntl($file, 1024, 0) or die "lease: $!";
$| = 1;
print "held\\n";
<STDIN>;
`;

/** Holds up whoever opens this file for writing, as a disk that hangs does; it is there already. Returns what ends that. */
export async function holdFile(path: string, stage: Stage): Promise<() => Promise<void>> {
  const holder = spawn('perl', ['-e', LEASE, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(holder, 'exit');
  stage.atEnd(() => void holder.kill('SIGKILL'));
  const [said] = (await Promise.race([once(createInterface(holder.stdout), 'line'), exited])) as [unknown];
  if (said !== 'held') throw new Error(`${path} could not be held: perl ended with ${String(said)}`);
  return async () => {
    holder.stdin.end();
    await exited;
  };
}
