import { EXPORT_FORMATS, type ExportFormat, QUESTIONS, type Question } from '@heliograph/app-archive';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from '../context.ts';
import { defaultPort } from '../listening.ts';
import { parseEnd, parseKey, parsePort, parseRelayUrl, parseTime, repeatable } from '../option-values.ts';
import { envName } from '../settings.ts';
import { archiveOff, archiveOn, archiveStatus } from './archive-decide.ts';
import { archiveExport, archiveImport } from './archive-hand-over.ts';
import { archiveCheckpoint, archiveRebuild, archiveVerify } from './archive-prove.ts';
import { archiveRun } from './archive-run.ts';
import { archiveSearch } from './archive-search.ts';

type Execute = (run: (context: Context) => Promise<number>, runsAgent: boolean) => Promise<void>;

/** `heliograph archive …`: what is kept on this machine, proved and asked. */
export function addArchiveCommands(program: Command, execute: Execute): void {
  const archive = program
    .command('archive')
    .description('keep, prove and search what agents did, on this machine; nothing is kept until it is switched on')
    .helpCommand(false);
  const act =
    <Input>(run: (input: Input, context: Context) => Promise<number>) =>
    (input: Input) =>
      execute((context) => run(input, context), false);

  archive
    .command('on')
    .description(
      'keep what agents send and are told from now on; a running archive or desktop follows at its next start',
    )
    .addOption(agentFlag('only this agent; may be repeated (default: all)'))
    .addOption(flag('--file <FILE>', 'the archive (default: archive.db at the usual place)'))
    .addOption(
      flag(
        '--at-rest <HOW>',
        'open: text in the clear, secrets replaced; sealed: only ciphertext (a new file only)',
      ).choices(['open', 'sealed']),
    )
    .addOption(
      flag(
        '--secrets <HOW>',
        'of events in which a secret was seen: seal keeps ciphertext, drop only id and signature',
      ).choices(['seal', 'drop']),
    )
    .addOption(flag('--max-age <TIME>', 'remove what is older: 90d, 26w, or off').argParser(parseAge))
    .addOption(
      flag('--max-size <SIZE>', 'remove the oldest beyond this size: 500MB, 20GB, or off').argParser(parseSize),
    )
    .action(act(archiveOn));
  archive
    .command('off')
    .description('keep nothing more; what is kept stays')
    .addOption(agentFlag('only this agent; may be repeated (default: all)'))
    .action(act(archiveOff));
  archive
    .command('status')
    .description('print what is kept, where, of whom, how much, and for how long')
    .action(act(archiveStatus));
  archive
    .command('run')
    .description('keep what arrives, until it is ended: a service beside the desktop, or without one')
    .addOption(flag('--owner-key <FILE>', "the owner's key file (default: owner.key at the usual place)"))
    .addOption(
      flag('--relay <URL>', "a relay to watch; may be repeated (default: the desktop's)").argParser(
        repeatable(parseRelayUrl),
      ),
    )
    .addOption(
      flag('--port <PORT>', 'the loopback port on which viewers read history, 0 for any free one')
        .default(defaultPort.archive)
        .argParser(parsePort),
    )
    .action(act(archiveRun));
  archive
    .command('verify')
    .description('check every signature, both chains, checkpoints and tombstones, with the file and public keys alone')
    .argument('[FILE]', "the archive (default: this machine's), or a JSONL export of one")
    .addOption(flag('--owner <NPUB|HEX>', "the owner's public key, as you know it from elsewhere").argParser(parseKey))
    .addOption(
      flag('--checkpoint <HASH>', 'a checkpoint witnessed elsewhere; may be repeated').argParser(repeatable(parseHash)),
    )
    .addOption(new Option('--json', 'print the report as JSON'))
    .action((file: string | undefined, given: object) =>
      execute((context) => archiveVerify({ ...given, ...(file === undefined ? {} : { file }) }, context), false),
    );
  archive
    .command('rebuild')
    .description('make views and index anew from the records, where verify says that they show something else')
    .argument('[FILE]', "the archive (default: this machine's)")
    .action((file: string | undefined) => execute((context) => archiveRebuild(file, context), false));
  archive
    .command('checkpoint')
    .description('print the newest signed checkpoint, to be witnessed: written down, published, or stamped')
    .addOption(flag('--publish <URL>', 'put it on a relay as well').argParser(parseRelayUrl))
    .addOption(flag('--owner-key <FILE>', "the owner's key file, to be let in by that relay"))
    .addOption(new Option('--digest <FILE>', 'write it to a new file that `ots stamp FILE` (OpenTimestamps) takes'))
    .action(act(archiveCheckpoint));
  archive
    .command('search')
    .description('find messages, tool calls, commands and decisions, newest first')
    .argument('[TEXT]', 'words that must all be there; "in quotes" together')
    .addOption(flag('--file <FILE>', "the archive (default: this machine's)"))
    .addOption(new Option('--agent <NAME|KEY>', 'of this agent: its name, its key or the beginning of that'))
    .addOption(new Option('--session <NUMBER>', 'of this session').argParser(parseNumber))
    .addOption(
      new Option('--kind <KIND>', 'tool calls of this kind: read, edit, delete, move, search, execute, fetch …'),
    )
    .addOption(new Option('--path <TEXT>', 'that name a path with this in it'))
    .addOption(
      new Option('--decision <WORD>', 'allowed, rejected, timed_out …, allow_once …, or none: without a recorded one'),
    )
    .addOption(new Option('--since <TIME>', 'not before: 2026-11-30 or 2026-11-30T09:00 (UTC)').argParser(parseTime))
    .addOption(new Option('--until <TIME>', 'not after; a day means all of it').argParser(parseEnd))
    .addOption(new Option('--errors', 'only what failed'))
    .addOption(new Option('--question <NAME>', 'one of the questions below').choices(Object.keys(QUESTIONS)))
    .addOption(flag('--owner-key <FILE>', "the owner's key file, to search an archive of ciphertext only"))
    .addOption(new Option('--limit <NUMBER>', 'at most so many').default(50).argParser(parseNumber))
    .addOption(new Option('--json', 'one JSON object a line'))
    .addHelpText('after', () => namesHelp('Questions', QUESTIONS))
    .action((text: string | undefined, given: { readonly limit: number; readonly question?: Question }) =>
      execute((context) => archiveSearch({ ...given, ...(text === undefined ? {} : { text }) }, context), false),
    );
  archive
    .command('export')
    .description('write what is kept to a new file, to be read, searched or proved elsewhere')
    .argument('[OUT]', 'the new file, or of CSV the new folder')
    .addOption(
      new Option('--format <FORMAT>', 'one of those below').choices(Object.keys(EXPORT_FORMATS)).default('jsonl'),
    )
    .addOption(flag('--file <FILE>', "the archive (default: this machine's)"))
    .addOption(new Option('--agent <NAME|KEY>', 'only of this agent: its name, its key or the beginning of that'))
    .addOption(
      new Option('--session <NUMBER>', 'only of this session, as archive search names it').argParser(parseNumber),
    )
    .addOption(new Option('--since <TIME>', 'not before: 2026-11-30 or 2026-11-30T09:00 (UTC)').argParser(parseTime))
    .addOption(new Option('--until <TIME>', 'not after; a day means all of it').argParser(parseEnd))
    .addOption(
      new Option('--redacted', 'JSONL without the sealed signed events: readable text alone, secrets replaced'),
    )
    .addOption(
      new Option('--otlp <URL>', 'send spans to this collector (OTLP/HTTP) instead of writing OUT').argParser(
        parseWebUrl,
      ),
    )
    .addHelpText('after', () => namesHelp('Formats', EXPORT_FORMATS))
    .action((out: string | undefined, given: { readonly format: ExportFormat }) =>
      execute((context) => archiveExport({ ...given, ...(out === undefined ? {} : { out }) }, context), false),
    );
  archive
    .command('import')
    .description('make a new archive of a JSONL export of a whole one; it verifies the same')
    .argument('<FILE>', 'the export')
    .requiredOption('--to <FILE>', 'the new archive')
    .addOption(flag('--owner <NPUB|HEX>', "the owner's public key, as you know it from elsewhere").argParser(parseKey))
    .action((from: string, given: { readonly to: string }) =>
      execute((context) => archiveImport({ ...given, from }, context), false),
    );
}

function namesHelp(title: string, names: Readonly<Record<string, string>>): string {
  const rows = Object.entries(names).map(([name, words]) => `  ${name.padEnd(18)}${words}`);
  return `\n${title}:\n${rows.join('\n')}`;
}

function agentFlag(description: string): Option {
  return new Option('--agent <NPUB|HEX>', description).argParser(repeatable(parseKey));
}

/** A flag that can also be set by its environment variable. */
function flag(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.env(envName(option.long ?? flags));
}

function parseHash(text: string): string {
  if (!/^[0-9a-fA-F]{64}$/.test(text))
    throw new InvalidArgumentError('Expected 64 hex digits, as `archive checkpoint` prints them.');
  return text.toLowerCase();
}

function parseNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Expected a number from 1 on.');
  return Number(text);
}

function parseWebUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new InvalidArgumentError('Expected an address like http://127.0.0.1:4318.');
  }
  return text;
}

/** In ms; 0 is off. */
function parseAge(text: string): number {
  const [, count, unit] = /^(\d{1,5})(d|w|y)$/.exec(text) ?? [];
  const days = { d: 1, w: 7, y: 365 }[unit ?? ''];
  if (text === 'off') return 0;
  if (days === undefined || Number(count) === 0)
    throw new InvalidArgumentError('Expected a time like 90d, 26w or 2y, or off.');
  return Number(count) * days * 86_400_000;
}

/** In bytes; 0 is off. */
function parseSize(text: string): number {
  const [, count, unit] = /^(\d{1,6}(?:\.\d+)?)(MB|GB|TB)$/i.exec(text) ?? [];
  const bytes = { MB: 1e6, GB: 1e9, TB: 1e12 }[(unit ?? '').toUpperCase()];
  if (text === 'off') return 0;
  if (bytes === undefined || !(Number(count) > 0))
    throw new InvalidArgumentError('Expected a size like 500MB or 20GB, or off.');
  return Math.round(Number(count) * bytes);
}
