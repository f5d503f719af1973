import { Command, Option } from 'commander';
import { agent } from './commands/agent.ts';
import { addArchiveCommands } from './commands/archive-commands.ts';
import { attestAgent } from './commands/attest.ts';
import { desktop } from './commands/desktop.ts';
import { invite } from './commands/invite.ts';
import { keysNew, keysShow } from './commands/keys.ts';
import { keysRotate } from './commands/keys-rotate.ts';
import { relay } from './commands/relay.ts';
import { addRelayCommands, addRelayFlags } from './commands/relay-commands.ts';
import { addServiceCommands } from './commands/service-commands.ts';
import { up } from './commands/up.ts';
import type { Context } from './context.ts';
import { agentTable } from './known-agents.ts';
import { defaultPort, loopback } from './listening.ts';
import {
  parseDuration,
  parseKey,
  parseName,
  parsePort,
  parsePushContact,
  parseRelayUrl,
  parseUntil,
  repeatable,
} from './option-values.ts';
import { type Env, envName } from './settings.ts';

/** What a command does once its words are understood; gives the exit code. */
type Run<Input> = (input: Input, context: Context) => Promise<number>;

/**
 * The command line: its commands, flags and help. `execute` is handed what the chosen command does, and whether that
 * command runs an agent, whose own command may stand after `--`.
 */
export function createProgram(
  version: string,
  env: Env,
  execute: (run: (context: Context) => Promise<number>, runsAgent: boolean) => Promise<void>,
): Command {
  const program = new Command('heliograph')
    .description("Watch and steer coding agents from another machine, byte for byte, over the owner's own Nostr relay.")
    .version(version, '--version', 'print the version')
    .helpOption('--help', 'print what a command does and its flags')
    .helpCommand(false)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(withExample(text.replace(/^error: /, 'heliograph: '))) })
    .addHelpText('after', settingsHelp);

  const act =
    <Input>(run: Run<Input>, runsAgent = false) =>
    (input: Input) =>
      execute((context) => run(input, context), runsAgent);

  const keys = program.command('keys').description('make and show keys').helpCommand(false);
  keys
    .command('new')
    .description('make a key: write its secret (nsec1…) to a new file only you can read, print its npub')
    .addOption(required('--out <FILE>', 'the file to write; it must not exist'))
    .action(act(keysNew));
  keys
    .command('show')
    .description('print the npub and the hex public key of a key file, never the secret')
    .argument('<FILE>', 'the key file (nsec1…, ncryptsec1… or hex)')
    .action(act(keysShow));
  keys
    .command('rotate')
    .description("make a new owner key and invites of it for the old one's agents, and print what is left to do where")
    .addOption(required('--old <NPUB|HEX>', 'the owner key that is lost, stolen or old').argParser(parseKey))
    .addOption(required('--out <DIR>', 'the folder to make, for the key and the invites'))
    .addOption(
      flag('--relay <URL>', "a relay to meet on; may be repeated (default: those of this machine's desktop)").argParser(
        repeatable(parseRelayUrl),
      ),
    )
    .addOption(
      flag('--agent <NAME>', "an agent this machine's desktop does not know; may be repeated").argParser(
        repeatable(parseName),
      ),
    )
    .addOption(until())
    .action(act(keysRotate));

  const relayCommand = addRelayFlags(program.command('relay'))
    .description('run a relay that only these owners and their agents may use')
    .addOption(flag('--host <ADDRESS>', 'the address to listen on').default(loopback))
    .addOption(
      flag('--port <PORT>', 'the port to listen on, 0 for any free one')
        .default(defaultPort.relay)
        .argParser(parsePort),
    )
    .addOption(flag('--data <DIR>', 'the folder for its data'))
    .addOption(flag('--owner <NPUB|HEX>', 'an owner it serves; may be repeated').argParser(repeatable(parseKey)))
    .addOption(
      flag('--public-url <URL>', 'the address others reach it by, like ws://HOST:7447').argParser(parseRelayUrl),
    )
    .action(act(relay));
  addRelayCommands(program, relayCommand, execute);
  addArchiveCommands(program, execute);

  program
    .command('invite')
    .description('print one helio1… token that lets an agent reach its owner; keep it secret')
    .addOption(ownerKey())
    .addOption(required('--relay <URL>', 'a relay they meet on; may be repeated').argParser(repeatable(parseRelayUrl)))
    .addOption(flag('--name <NAME>', "the agent's name").argParser(parseName))
    .addOption(until())
    .action(act(invite));

  program
    .command('attest')
    .description("print the owner's word (a NIP-OA tag, JSON) for an agent that made its own key")
    .addOption(ownerKey())
    .addOption(required('--agent <NPUB|HEX>', 'the key that `heliograph agent` printed').argParser(parseKey))
    .addOption(until())
    .action(act(attestAgent));

  const agentCommand = program
    .command('agent')
    .usage('(--invite @FILE|- | --owner NPUB|HEX --relay URL) [options] [-- CMD [ARG…]]')
    .description('run an ACP agent here (goose acp unless told otherwise) and mirror it to its owner')
    .addOption(
      flag(
        '--invite <@FILE|->',
        'the token from `heliograph invite`: in a file, or - for standard input or a hidden prompt',
      ),
    )
    .addOption(flag('--owner <NPUB|HEX>', 'without an invite: the owner').argParser(parseKey))
    .addOption(flag('--key <FILE>', "without an invite: the agent's key file; it makes and keeps its own otherwise"))
    .addOption(flag('--auth-tag <@FILE>', 'without an invite: what `heliograph attest` printed'))
    .addOption(
      flag('--relay <URL>', 'without an invite: a relay; may be repeated').argParser(repeatable(parseRelayUrl)),
    )
    .addOption(cwd())
    .addOption(flag('--name <NAME>', "the agent's name").argParser(parseName))
    .addOption(flag('--state <DIR>', 'the folder for what it keeps between runs'))
    .addOption(
      flag('--permissions <WHAT>', "what to do with the agent's permission requests")
        .choices(['ask', 'allow', 'reject'])
        .default('ask'),
    )
    .addOption(
      flag('--idle-timeout <TIME>', 'cancel a turn in which the agent writes nothing for so long; or off')
        .default(900_000, '15m')
        .argParser(parseDuration),
    )
    .addOption(
      flag('--turn-timeout <TIME>', 'cancel a turn that takes longer than this, like 2h (default: off)').argParser(
        parseDuration,
      ),
    )
    .addOption(
      flag(
        '--rules <FILE>',
        'rules that decide permission requests before --permissions does: a JSON list, the first that fits',
      ),
    )
    .addOption(
      flag(
        '--permission-timeout <TIME>',
        'answer a permission request "cancelled" when nobody decides for so long (default: off)',
      ).argParser(parseDuration),
    )
    .addOption(
      flag('--acp <VERSION>', 'the version of ACP to speak where the agent can; 2 is a draft')
        .choices(['1', '2'])
        .default('1'),
    )
    .addOption(pushSubject())
    .addOption(agentName())
    .addHelpText('after', () => agentsHelp(env))
    .addHelpText('after', pushHelp)
    .action(act(agent, true));
  addServiceCommands(agentCommand, execute);

  program
    .command('desktop')
    .description("serve the owner's desktop on this machine and open its window")
    .addOption(flag('--host <ADDRESS>', 'the address to listen on').default(loopback))
    .addOption(
      flag('--port <PORT>', 'the port to listen on, 0 for any free one')
        .default(defaultPort.desktop)
        .argParser(parsePort),
    )
    .addOption(ownerKey())
    .addOption(flag('--relay <URL>', 'a relay to watch; may be repeated').argParser(repeatable(parseRelayUrl)))
    .addOption(noWindow())
    .action(act(desktop));

  program
    .command('up')
    .usage('[options] [-- CMD [ARG…]]')
    .description('run relay, agent and desktop on this machine; the agent is a demo unless one is named')
    .addOption(cwd())
    .addOption(noWindow())
    .addOption(pushSubject())
    .addOption(agentName())
    .addHelpText('after', () => agentsHelp(env))
    .addHelpText('after', pushHelp)
    .action(act(up, true));

  return program;
}

/** A flag that can also be set by its environment variable. */
function flag(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.env(envName(option.long ?? flags));
}

/** What is missing is easier to give when one has been seen. */
function withExample(text: string): string {
  return text.replace(/'--relay <URL>' not specified/, '$&. Expected one like --relay ws://192.168.1.5:7447');
}

function required(flags: string, description: string): Option {
  return flag(flags, description).makeOptionMandatory();
}

const ownerKey = () => flag('--owner-key <FILE>', "the owner's key file (default: owner.key at the usual place)");
const until = () =>
  flag('--until <DATE>', 'when it ends: 2027-12-31 or 2027-12-31T18:00:00Z (default: in a year)').argParser((text) =>
    parseUntil(text),
  );
const cwd = () =>
  flag('--cwd <DIR>', 'the folder the agent works in (default: this one; a folder of its own for the demo)');
const agentName = () => flag('--agent <NAME>', 'start an agent of the table below');
const pushSubject = () =>
  flag(
    '--push-subject <URL>',
    'whom push services may write to, mailto: or https: (default: the first relay with a public name and TLS)',
  ).argParser(parsePushContact);
const noWindow = () => flag('--no-window', 'open no window, only print the address');

const settingsHelp = `
Every flag can be set by an environment variable: --owner-key by HELIOGRAPH_OWNER_KEY, and so on; values of flags that may
be repeated are separated by commas. Also:
  HELIOGRAPH_HOME             one folder for all files (default: the XDG folders, ~/.config/heliograph and others)
  HELIOGRAPH_PASSPHRASE_FILE  a file with the passphrase of an encrypted key (ncryptsec1…), instead of a prompt
  HELIOGRAPH_LOG              what stderr shows at the least: trace, debug, info (default), warn, error, fatal, silent
  CHROMIUM_PATH               the browser for the window

Secrets are never taken from the command line, and keys not from the environment either: only from files, standard input or
a hidden prompt. A server's URL with a password in it goes into a file (@FILE) or its setting.
Exit codes: 0 orderly end, 2 wrong usage, 1 anything else.`;

const pushHelp = `
An agent connects to its relays and, once a device of its owner has been subscribed in the settings of the page, to that
device's push service (Google's, Mozilla's, Apple's …): each message says which agent and why, encrypted for the device.
Nothing else outside is ever contacted.`;

function agentsHelp(env: Env): string {
  return `\nAgents for --agent NAME (\`demo\` is the built-in one); any other command that speaks ACP goes after --:\n${agentTable(env)}`;
}
