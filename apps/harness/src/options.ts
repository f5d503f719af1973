import { hostname } from 'node:os';
import type { Clock, OpenSocket } from '@heliograph/client';
import type { AuthTag, Crypto, PermissionPolicy, PermissionRule, Signer } from '@heliograph/wire';
import { systemClock, systemRandom, systemSocket, systemUuid } from './clock.ts';
import { defaultLockFolder } from './key-lock.ts';
import type { Log } from './log.ts';

/** How a harness is started. Everything below `version` has a default. */
export interface HarnessOptions {
  /** The agent's command and its arguments; the first is looked for on `env.PATH`. */
  readonly command: readonly string[];
  /** Absolute: where the agent works. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly name?: string;
  readonly relays: readonly string[];
  /** The agent's key. */
  readonly signer: Signer;
  /** The owner's public key, hex: the only one that is obeyed and that can read. */
  readonly owner: string;
  readonly authTag?: AuthTag;
  /** Where this harness keeps which controls it has obeyed. Made when absent, 0700. */
  readonly stateDir: string;
  /** Where keys in use are locked: one folder per user and machine, 0700. */
  readonly lockDir?: string;
  readonly permissions: PermissionPolicy;
  readonly crypto: Crypto;
  readonly log: Log;
  readonly version: string;
  /** The version of ACP to speak where the agent can: 2 is a draft. */
  readonly acp?: 1 | 2;
  /** Whether the owner made the agent's key (and could forge telemetry) or the agent did. */
  readonly keyMadeBy?: 'owner' | 'agent';
  readonly host?: string;
  readonly openSocket?: OpenSocket;
  /** How long a relay may say nothing before it is asked whether it is there. */
  readonly relaySilenceMs?: number;
  readonly clock?: Clock;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
  readonly uuid?: () => string;
  /** How long initialize and session/new may take. */
  readonly startTimeoutMs?: number;
  readonly turnLivenessMs?: number;
  /** How long a cancelled agent may take to end its turn before it is killed. */
  readonly cancelGraceMs?: number;
  /** How long an agent in an open turn may write nothing; 0 for any time. Stands still while a permission waits. */
  readonly idleTimeoutMs?: number;
  /** How long a turn may take in all; 0 for any time. Stands still while a permission waits. */
  readonly turnTimeoutMs?: number;
  /** How long an agent in an open turn is silent before it is told of that its stderr speaks of a refused login; 0 for never. */
  readonly quietMs?: number;
  /** Asked before `permissions`, in their order; until the owner sets another policy. */
  readonly permissionRules?: readonly PermissionRule[];
  /** How long a permission request may wait before it is answered `cancelled`; 0 for any time. Shown on the request. */
  readonly permissionTimeoutMs?: number;
  /** How long an agent that crashed three times within a minute is left alone. */
  readonly crashRestMs?: number;
  /** How long the agent may take to exit after its stdin closed, and again after SIGTERM. */
  readonly exitGraceMs?: number;
  /** Longer lines are passed on but recorded by their ends and hash only. */
  readonly maxLineBytes?: number;
  /** Whom push services may write to about this harness: `mailto:` or `https:`, under a public name. */
  readonly pushSubject?: string;
  /** Ciphertext kept on disk for viewers that come late and relays that are away. */
  readonly spoolBytes?: number;
}

/** `HarnessOptions` with every default filled in. */
export type FilledOptions = Required<Omit<HarnessOptions, 'authTag' | 'pushSubject'>> &
  Pick<HarnessOptions, 'authTag' | 'pushSubject'>;

/** Fills in the defaults. */
export function fillOptions(options: HarnessOptions): FilledOptions {
  return {
    name: options.command[0]?.split('/').at(-1) ?? 'agent',
    keyMadeBy: 'owner',
    host: hostname(),
    lockDir: defaultLockFolder(),
    openSocket: systemSocket,
    relaySilenceMs: 30_000,
    clock: systemClock,
    random: systemRandom,
    uuid: systemUuid,
    acp: 1,
    startTimeoutMs: 60_000,
    turnLivenessMs: 10_000,
    cancelGraceMs: 5_000,
    idleTimeoutMs: 900_000,
    turnTimeoutMs: 0,
    quietMs: 20_000,
    permissionTimeoutMs: 0,
    permissionRules: [],
    crashRestMs: 300_000,
    exitGraceMs: 2_000,
    maxLineBytes: 16 * 1_024 * 1_024,
    spoolBytes: 256 * 1_024 * 1_024,
    ...options,
  };
}
