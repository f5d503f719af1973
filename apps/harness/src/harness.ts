import { basename, isAbsolute } from 'node:path';
import type { RelayClient } from '@heliograph/client';
import { type ControlResult, maxEventBytes, type Snapshot, WIRE_VERSION } from '@heliograph/wire';
import { agentName } from './agent/agent-quirks.ts';
import { describeKept, type KeptChannels, readKeptChannels } from './agent/kept-channels.ts';
import { PermissionPolicies, type PolicySettings, readPolicySettings } from './agent/permission-policies.ts';
import { Sessions } from './agent/sessions.ts';
import { endLeftovers } from './agent/stragglers.ts';
import type { UsageSoFar } from './agent/usage.ts';
import { readKeptUsage, UsageDesk } from './agent/usage-desk.ts';
import { Attestation } from './attestation.ts';
import { ControlIntake } from './control/control-intake.ts';
import { ControlLedger } from './control/control-ledger.ts';
import { LateViewers } from './control/late-viewers.ts';
import { Orders } from './control/orders.ts';
import { describeRun, encodeSnapshot } from './control/snapshot.ts';
import { ViewerVersions } from './control/viewer-versions.ts';
import { Identity } from './identity.ts';
import { type KeyLock, lockedBy, lockKey, lockPath } from './key-lock.ts';
import { Mirror } from './mirror/mirror.ts';
import type { Emitted, Place } from './mirror/observer-bus.ts';
import { openSpool } from './mirror/open-spool.ts';
import { hideSecretArgs, hideSecrets } from './mirror/secret-shapes.ts';
import type { Spool, SpoolPort } from './mirror/spool.ts';
import { UsageOutbox } from './mirror/usage-outbox.ts';
import { type FilledOptions, fillOptions, type HarnessOptions } from './options.ts';
import { PushDesk } from './push/push-desk.ts';
import { agreeOnBudget } from './relay-limits.ts';
import { SealedFile } from './sealed-file.ts';

/** A running harness. */
export interface Harness {
  /** The agent's public key. */
  readonly agent: string;
  /** This life of the harness; also the id of the stream for what belongs to no channel. */
  readonly run: string;
  /** The stream of the channel that prompts go to. */
  readonly stream: string;
  readonly channelId: string;
  /** Resolves when everything is over: 0 after `close`, 1 with a sentence when the agent could not be started. */
  readonly closed: Promise<{ readonly code: 0 | 1; readonly reason: string }>;
  /** Ends the agent and what it started, tells viewers, and lets go of everything. */
  close(): Promise<void>;
}

const FLUSH_MS = 3_000;
/** What of a frame a snapshot may not use: its head. */
const SNAPSHOT_HEAD_BYTES = 1_024;
const FEATURES = [
  'prompt',
  'queue',
  'steer',
  'config',
  'sessions',
  'restart',
  'policy',
  'auth',
  'cancel',
  'permissions',
  'elicitation',
  'replay',
  'parts',
  'push',
];

/**
 * Starts an agent and mirrors it to its owner. Resolves when the agent process runs; rejects with an Error of code
 * `ENOENT` (no such command), `ENOTDIR` (no such folder), `ELOCKED` (the key is in use), `ERELAYSIZE`, or the system's own.
 */
export async function startHarness(options: HarnessOptions): Promise<Harness> {
  if (!isAbsolute(options.cwd))
    throw new RangeError(`cwd must be an absolute path, got ${JSON.stringify(options.cwd)}`);
  if (options.relays.length === 0) throw new RangeError('relays must name at least one relay');
  const filled = fillOptions(options);
  const { signer, owner, stateDir, clock, crypto, relays, log, authTag } = filled;
  const lock = await lockKey(signer.publicKey, filled.lockDir);
  let ledger: ControlLedger | undefined;
  try {
    // A harness that was killed could not: two agents would work in one session, one of them unseen.
    const living = endLeftovers(lockPath(signer.publicKey, filled.lockDir));
    if (living !== undefined)
      throw lockedBy(signer.publicKey, `${lockPath(signer.publicKey, filled.lockDir)}, which was removed`, living);
    ledger = await ControlLedger.open({ stateDir, clock, signer, owner });
    const carrying = await agreeOnBudget(relays, log);
    const files = {
      channels: new SealedFile(filled, 'channels.sealed'),
      policies: new SealedFile(filled, 'policies.sealed'),
      usage: new SealedFile(filled, 'usage.sealed'),
    };
    const nowSec = () => Math.floor(clock.nowMs() / 1_000);
    const vouched = { agent: signer.publicKey, owner, crypto, authTag, nowSec };
    const attestation = await Attestation.open(vouched, new SealedFile(filled, 'attestation.sealed'));
    const channels = await readKeptChannels(files.channels);
    const channelIds = channels?.channels.map(({ channelId }) => channelId) ?? [];
    const state: RunState = {
      budgetBytes: carrying.budgetBytes,
      ledger,
      lock,
      files,
      makeSpool: await openSpool(filled),
      attestation,
      outbox: await UsageOutbox.open({ ...filled, authTag: () => attestation.tag }),
      channels,
      policies: await readPolicySettings(files.policies, channelIds),
      usage: await readKeptUsage(files.usage),
      push: await PushDesk.open({ ...filled, agent: signer.publicKey }, new SealedFile(filled, 'push.sealed')),
    };
    const run = new Run({ ...filled, relays: carrying.relays }, state);
    await run.start();
    return run;
  } catch (cause) {
    await ledger?.close();
    await lock.release();
    throw cause;
  }
}

/** What a run begins with: what is held for it, and what earlier runs with this state folder left. */
interface RunState {
  readonly budgetBytes: number;
  readonly ledger: ControlLedger;
  readonly lock: KeyLock;
  readonly files: { readonly channels: SealedFile; readonly policies: SealedFile; readonly usage: SealedFile };
  readonly makeSpool: (port: SpoolPort) => Spool;
  readonly attestation: Attestation;
  readonly outbox: UsageOutbox;
  readonly channels: KeptChannels | undefined;
  readonly policies: PolicySettings;
  readonly usage: readonly UsageSoFar[];
  readonly push: PushDesk;
}

/** Composition only: which part tells which. */
class Run implements Harness {
  readonly agent: string;
  readonly run: string;
  readonly closed: Harness['closed'];
  readonly #options: FilledOptions;
  readonly #state: RunState;
  readonly #mirror: Mirror;
  readonly #identity: Identity;
  readonly #openedAt: string;
  readonly #policies: PermissionPolicies;
  readonly #sessions: Sessions;
  readonly #intake: ControlIntake;
  readonly #lateViewers: LateViewers;
  #resolveClosed: (end: { readonly code: 0 | 1; readonly reason: string }) => void = () => {};
  #closing: Promise<void> | undefined;

  constructor(options: FilledOptions, state: RunState) {
    const { signer, owner, clock, crypto, log, permissions, permissionRules } = options;
    const { attestation } = state;
    this.#options = options;
    this.#state = state;
    this.agent = signer.publicKey;
    this.run = options.uuid();
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    const authTag = () => attestation.tag;
    this.#identity = new Identity({ ...options, authTag, nowSec: () => Math.floor(clock.nowMs() / 1_000) });
    this.#mirror = new Mirror({
      ...options,
      run: this.run,
      budgetBytes: state.budgetBytes,
      makeSpool: state.makeSpool,
      authTag,
      onRelayReady: (client) => this.#introduce(client),
      onRelayState: (url, relay) => state.outbox.relayChanged(url, relay),
      onTold: (stream, { kind, payload }) => state.push.observe(stream, kind, payload),
    });
    this.#openedAt = this.#tellStart();
    this.#policies = new PermissionPolicies(
      { policy: permissions, rules: permissionRules },
      state.files.policies,
      state.policies,
    );
    for (const client of this.#mirror.clients) state.outbox.connect(client);
    this.#sessions = new Sessions(
      options,
      {
        run: this.run,
        mirror: this.#mirror,
        usage: this.#makeUsageDesk(),
        policy: (params, channel) => this.#policies.decide(params, channel?.channelId, channel?.cwd ?? options.cwd),
        changed: () => this.#keepChannels(),
        ended: (channelId) => this.#policies.forget(channelId),
        failed: (reason) => void this.#end(1, reason),
      },
      state.channels,
    );
    this.#lateViewers = this.#makeLateViewers();
    const orders = new Orders({
      sessions: this.#sessions,
      policies: this.#policies,
      attestation,
      lateViewers: this.#lateViewers,
      push: state.push,
      cwd: options.cwd,
      renewed: () => this.#renewed(),
    });
    const versions = new ViewerVersions(options);
    this.#intake = new ControlIntake({
      clock,
      crypto,
      signer,
      owner,
      run: this.run,
      ledger: state.ledger,
      log,
      tell: (result, channelId) => this.#tellResult(result, channelId),
      act: (admitted) => {
        if (admitted.control.type === 'hello') versions.greeted(admitted.control);
        orders.carryOut(admitted);
      },
    });
  }

  get stream(): string {
    return this.#sessions.main.stream;
  }

  get channelId(): string {
    return this.#sessions.main.channelId;
  }

  /** Starts the agent and listens for controls; rejects when the agent's process can't be started. */
  async start(): Promise<void> {
    try {
      await this.#keepChannels();
      await this.#sessions.startFirst();
    } catch (cause) {
      await this.#mirror.close([], 0);
      throw cause;
    }
    for (const client of this.#mirror.clients) void this.#intake.listen(client);
  }

  close(): Promise<void> {
    return this.#end(0, 'closed');
  }

  #end(code: 0 | 1, reason: string): Promise<void> {
    this.#closing ??= this.#shutDown(code).then(() => this.#resolveClosed({ code, reason }));
    return this.#closing;
  }

  async #shutDown(code: 0 | 1): Promise<void> {
    this.#intake.close();
    this.#lateViewers.close();
    await this.#sessions.close();
    const places = this.#sessions.channels.all().map(({ stream, sessionId }) => ({ stream, sessionId, turnId: null }));
    await this.#state.push.close(code !== 0, FLUSH_MS);
    await this.#state.outbox.drain(FLUSH_MS);
    await this.#mirror.close(places, FLUSH_MS);
    await this.#state.outbox.close();
    // The next run can tell that nothing of this one is missing.
    await this.#keepChannels((stream) => this.#mirror.head(stream)).catch((cause: unknown) =>
      this.#options.log.warn({ err: cause }, "this run's orderly end could not be written down"),
    );
    await this.#state.ledger.close();
    await this.#state.lock.release();
  }

  /** Writes down what the next run goes on with; `endOf`: where its streams ended. */
  #keepChannels(
    endOf?: (stream: string) => { readonly seq: number; readonly hash: string } | undefined,
  ): Promise<void> {
    const { main, conversations, agentLine } = this.#sessions;
    const channels = conversations.map(({ channel }) => channel);
    return this.#state.files.channels.write(describeKept(agentLine, main, channels, endOf));
  }

  /** Every relay sees the newer attestation: with AUTH, and in the agent's profile. */
  #renewed(): void {
    this.#identity.forget();
    for (const client of this.#mirror.clients) {
      client.authenticate();
      if (client.state.phase === 'ready') this.#introduce(client);
    }
  }

  #makeUsageDesk(): UsageDesk {
    const { files, outbox, usage } = this.#state;
    const { command, log } = this.#options;
    return new UsageDesk(
      {
        agentName: () => agentName(this.#sessions.initializeResult) ?? basename(command[0] ?? 'agent'),
        now: () => this.#mirror.now(),
        report: (report) => void outbox.publish(report),
        failed: (cause) => log.warn({ err: cause }, 'what the sessions used could not be written down'),
      },
      files.usage,
      usage,
    );
  }

  #makeLateViewers(): LateViewers {
    return new LateViewers({
      clock: this.#options.clock,
      settle: () => this.#mirror.settle(),
      tellSnapshot: (requestIds) => {
        const payload = encodeSnapshot(
          this.#snapshot(requestIds),
          maxEventBytes(this.#state.budgetBytes) - SNAPSHOT_HEAD_BYTES,
        );
        this.#mirror.emitUrgent(this.#harnessPlace(), { kind: 'snapshot', payload });
      },
      kept: (stream, fromSeq, toSeq) => this.#mirror.kept(stream, fromSeq, toSeq),
      lastSeq: (stream) => this.#mirror.lastSeq(stream),
      replay: (entries, done) => this.#mirror.replay(entries, done),
      openSpans: () => [
        ...this.#sessions.channels
          .all()
          .flatMap(({ stream, turn }) => (turn === undefined ? [] : { stream, fromSeq: turn.firstSeq })),
        ...this.#sessions.requests.pending().map(({ stream, requestSeq }) => ({ stream, fromSeq: requestSeq })),
      ],
    });
  }

  #snapshot(requestIds: readonly string[]): Snapshot {
    const streams = [
      { stream: this.run, channelId: null, openedAt: this.#openedAt },
      ...this.#sessions.channels.all().map(({ stream, channelId, openedAt }) => ({ stream, channelId, openedAt })),
    ];
    return describeRun({
      ...this.#options,
      permissions: this.#policies.policy,
      policyOf: (channelId) => this.#policies.policyOf(channelId),
      requestIds,
      run: this.run,
      now: this.#mirror.now(),
      initializeResult: this.#sessions.initializeResult,
      process: this.#sessions.process,
      streams: streams.flatMap((opened) => {
        const head = this.#mirror.head(opened.stream);
        return head === undefined ? [] : { ...opened, ...head };
      }),
      channels: this.#sessions.channels.all(),
      queueOf: (channelId) => this.#sessions.conversation(channelId)?.queue ?? [],
      pending: this.#sessions.requests.pending(),
      push: this.#state.push.describe(),
    });
  }

  #tellStart(): string {
    const { command, cwd, host, version, keyMadeBy } = this.#options;
    const [agentCommand = '', ...agentArgs] = command;
    const started = {
      wire: WIRE_VERSION,
      run: this.run,
      agentCommand: hideSecrets(agentCommand),
      agentArgs: hideSecretArgs(agentArgs),
      cwd,
      host,
      version,
      features: FEATURES,
      keyMadeBy,
    };
    return this.#emit(this.#harnessPlace(), 'harness_started', started).timestamp;
  }

  #introduce(client: RelayClient): void {
    this.#identity.introduce(client).catch((cause: unknown) => {
      this.#options.log.warn({ err: cause, relay: client.url }, "the agent's profile could not be signed");
    });
  }

  #tellResult(result: ControlResult, channelId: string | null | undefined): void {
    const channel = this.#sessions.channels.get(channelId ?? null);
    const place =
      channel === undefined
        ? this.#harnessPlace()
        : { stream: channel.stream, sessionId: channel.sessionId, turnId: channel.turn?.turnId ?? null };
    this.#emitUrgent(place, 'control_result', result);
  }

  #emit(place: Place, kind: string, payload: object): Emitted {
    return this.#mirror.emit(place, { kind, payload: JSON.stringify(payload) });
  }

  #emitUrgent(place: Place, kind: string, payload: object, fromSeq?: number): Emitted {
    return this.#mirror.emitUrgent(place, { kind, payload: JSON.stringify(payload) }, fromSeq);
  }

  #harnessPlace(): Place {
    return { stream: this.run, sessionId: null, turnId: null };
  }
}
