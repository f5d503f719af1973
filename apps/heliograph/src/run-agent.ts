import { startHarness } from '@heliograph/app-harness';
import type { PermissionRule } from '@heliograph/wire';
import { localSigner } from '@heliograph/wire/nostr';
import type { AgentChoice } from './agent-choice.ts';
import type { AgentIdentity } from './agent-identity.ts';
import type { Context } from './context.ts';
import type { Life } from './life.ts';
import { announce } from './ready.ts';
import { agentEnv } from './settings.ts';

/** What is done with an agent's permission requests: asked of the owner, allowed once, or rejected. */
export type Permissions = 'ask' | 'allow' | 'reject';

export interface AgentRun {
  readonly choice: AgentChoice;
  readonly cwd: string;
  readonly identity: AgentIdentity;
  readonly stateDir: string;
  readonly name: string;
  readonly permissions: Permissions;
  readonly permissionRules?: readonly PermissionRule[];
  /** The version of ACP to speak where the agent can. */
  readonly acp?: 1 | 2;
  /** Whom push services may write to. */
  readonly pushSubject?: string;
  /** How long a turn may take; the harness's own defaults where absent. */
  readonly limits?: {
    readonly idleTimeoutMs: number;
    readonly turnTimeoutMs: number;
    readonly permissionTimeoutMs: number;
  };
}

/** Starts the harness around an agent, says that it is ready, and ends the life when the agent ends. */
export async function runAgent(run: AgentRun, life: Life, context: Context): Promise<void> {
  const { choice, cwd, identity, stateDir, name, permissions, permissionRules = [], limits = {}, acp = 1 } = run;
  const { crypto, env, installation } = context;
  const log = context.log.child({ part: 'agent' });
  const harness = await life.start('agent', () =>
    startHarness({
      command: [...choice.command],
      cwd,
      env: agentEnv(env),
      name,
      relays: [...identity.relays],
      signer: localSigner(identity.key.secret, crypto),
      owner: identity.owner,
      keyMadeBy: identity.keyMadeBy,
      ...(identity.authTag ? { authTag: identity.authTag } : {}),
      stateDir,
      lockDir: context.places.locks,
      permissions,
      permissionRules,
      acp,
      ...(run.pushSubject !== undefined ? { pushSubject: run.pushSubject } : {}),
      ...limits,
      crypto,
      log,
      version: installation.version,
    }),
  );
  announce({
    ready: 'agent',
    agent: harness.agent,
    run: harness.run,
    stream: harness.stream,
    channelId: harness.channelId,
  });
  void harness.closed.then(({ code, reason }) => {
    if (code !== 0) log.error({}, reason);
    life.end(code);
  });
}
