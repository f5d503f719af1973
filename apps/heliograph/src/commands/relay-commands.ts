import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { parseKey, parseName, parseRelayUrl, parseThreads, repeatable } from '../option-values.ts';
import { envName } from '../settings.ts';
import { doctor } from './doctor.ts';
import { backup, compact, exportTo, importFrom, restore } from './relay-data.ts';
import { decideOnKey, listKeys } from './relay-keys.ts';
import { parseOpen, parseRetention } from './relay-settings.ts';
import type { StorageFlags } from './relay-storage.ts';

type Execute = (run: (context: Context) => Promise<number>, runsAgent: boolean) => Promise<void>;

/** The flags of `heliograph relay` for who serves others: what is open, what is kept, what stands in front. */
export function addRelayFlags(relay: Command): Command {
  return relay
    .addOption(flag('--name <NAME>', "the relay's name").argParser(parseName))
    .addOption(
      flag('--public <WHAT>', 'open kinds to all: read:1,30023 or write:1059; may be repeated').argParser(parseOpen),
    )
    .addOption(
      flag('--retention <RULE>', 'keep kinds so long: 1,7:30d or *:1y; may be repeated').argParser(parseRetention),
    )
    .addOption(
      flag(
        '--trusted-proxy <ADDRESS>',
        'believe the X-Forwarded-For of this address or range; may be repeated',
      ).argParser(repeatable((text) => text)),
    )
    .addOption(flag('--no-ui', 'serve no page to browsers, only the relay'))
    .addOption(
      flag('--verify-workers <N>', 'check signatures in so many threads beside the main one (default: 0)').argParser(
        parseThreads,
      ),
    )
    .addOption(database())
    .addOption(flag('--nats <URL|@FILE>', 'act as one with the other relays on that database, over this NATS server'))
    .addOption(flag('--config <FILE>', 'owners, limits and other settings as JSON, read again at SIGHUP'));
}

/** `heliograph relay …` for its operator, and `heliograph doctor`. */
export function addRelayCommands(program: Command, relay: Command, execute: Execute): void {
  type Given = StorageFlags & { readonly reason?: string };
  const onKey = (name: string, verdict: 'allow' | 'deny' | undefined, description: string): void => {
    relay
      .command(name)
      .description(description)
      .argument('<NPUB|HEX>', 'the key', parseKey)
      .addOption(new Option('--reason <TEXT>', 'a note beside it'))
      .addOption(dataFolder())
      .addOption(database())
      .action((key: string, _: Given, command: Command) => {
        const given = allGiven<Given>(command);
        return execute((context) => decideOnKey({ ...given, key, verdict }, context), false);
      });
  };
  onKey('allow', 'allow', 'let a key in, with the agents it vouches for; a running relay follows within a second');
  onKey('deny', 'deny', 'ban a key; its open connections end within a second');
  onKey('forget', undefined, 'take back what was decided on a key');

  const onFile = (
    name: string,
    argument: string,
    description: string,
    run: (input: { file: string } & StorageFlags, context: Context) => Promise<number>,
  ): void => {
    relay
      .command(name)
      .description(description)
      .argument(argument)
      .addOption(dataFolder())
      .addOption(database())
      .action((file: string, _: Given, command: Command) => {
        const given = allGiven<Given>(command);
        return execute((context) => run({ ...given, file }, context), false);
      });
  };
  onFile('backup', '<FILE>', 'write a whole, checked copy to a new file, while the relay runs', backup);
  onFile('restore', '<FILE>', 'put a backup in its place; the relay must not run', restore);
  onFile('export', '<FILE|->', 'write every stored event as a line of JSON', exportTo);
  onFile('import', '<FILE|->', 'take such lines in, each checked; the relay must not run', importFrom);

  const onFolder = (name: string, description: string, run: typeof listKeys): void => {
    relay
      .command(name)
      .description(description)
      .addOption(dataFolder())
      .addOption(database())
      .action((_: Given, command: Command) => {
        const given = allGiven<Given>(command);
        return execute((context) => run(given, context), false);
      });
  };
  onFolder('list', 'print the keys that were decided on', listKeys);
  onFolder('compact', 'give unused space back; the relay must not run', compact);

  program
    .command('doctor')
    .description(
      'look at a relay as its clients meet it, and at agents installed here: each line is ok, or what is wrong and how to mend it',
    )
    .argument('[URL]', 'its address (default: the relay of this machine)', parseRelayUrl)
    .addOption(flag('--owner-key <FILE>', "the owner's key file (default: owner.key at the usual place)"))
    .addOption(dataFolder())
    .action((url: string | undefined, given: { ownerKey?: string; data?: string }) =>
      execute((context) => doctor({ ...given, ...(url === undefined ? {} : { url }) }, context), false),
    );
}

/** What a command and those above it were given; what stands on the command line counts before a setting. */
function allGiven<T extends object>(command: Command): T {
  const own = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli');
  return { ...command.optsWithGlobals<T>(), ...Object.fromEntries(own) };
}

const database = (): Option =>
  flag('--postgres <URL|@FILE>', 'keep what is durable in this PostgreSQL database, instead of --data');
const dataFolder = (): Option => flag('--data <DIR>', "the folder of the relay's data");

/** A flag that can also be set by its environment variable. */
function flag(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.env(envName(option.long ?? flags));
}
