import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { type InstallOptions, installAgent, uninstallAgent } from './agent-install.ts';

type Execute = (run: (context: Context) => Promise<number>, runsAgent: boolean) => Promise<void>;

/** `heliograph agent install` and `uninstall`: the flags of `agent` itself say what is to run. */
export function addServiceCommands(agent: Command, execute: Execute): void {
  agent
    .command('install')
    .usage('[SERVICE] (--invite @FILE | --owner NPUB|HEX --relay URL) [options of agent] [-- CMD [ARG…]]')
    .description('have this machine run the agent from now on and from every boot on (systemd, launchd)')
    .argument('[SERVICE]', "a name for it, where several run here (default: the agent's)")
    .addOption(new Option('--dry-run', 'only print the file that would be written'))
    .addOption(
      new Option('--for <SYSTEM>', 'with --dry-run: the file of another system').choices(['systemd', 'launchd']),
    )
    .action((service: string | undefined, _: object, command: Command) => {
      const given = command.optsWithGlobals<InstallOptions>();
      return execute(
        (context) => installAgent({ ...given, ...(service === undefined ? {} : { service }) }, context),
        true,
      );
    });
  agent
    .command('uninstall')
    .description('stop such an agent and take its file away; keys, invites and what it keeps stay')
    .argument('[SERVICE]', 'its name, where there are several')
    .action((service: string | undefined) =>
      execute((context) => uninstallAgent(service === undefined ? {} : { service }, context), false),
    );
}
