import {
  type Control,
  type Crypto,
  decodeEnvelope,
  encodeControl,
  KIND_APP_DATA,
  KIND_OBSERVER,
  KIND_USAGE,
  type NostrEvent,
  openFrame,
  openUsage,
  parseFrame,
  parseUsageEvent,
  type Signer,
  sealContent,
  signFrame,
  type VerifiedEvent,
  verifyEvent,
  WIRE_VERSION,
} from '@heliograph/wire';
import { Admission } from './admission.ts';
import { AgentView } from './agent-view.ts';
import type { Clock } from './clock.ts';
import { Outbox } from './outbox.ts';
import { OwnerNames, ownerNamesFilter } from './owner-names.ts';
import { createRelayClient, type RelayClient } from './relay-client.ts';
import { SeenIds } from './seen-ids.ts';
import type { OpenSocket } from './socket.ts';
import { readStored } from './stored-events.ts';
import type { SeqSpan } from './stream-chain.ts';
import type {
  ControlDraft,
  HeldStream,
  KnownAgent,
  LinesAgain,
  ReceivedEvent,
  Refusal,
  StreamSpan,
  ViewerEvent,
} from './viewer-event.ts';

export interface ViewerOptions {
  /** The owner's key, wherever it is. */
  readonly signer: Signer;
  readonly relays: readonly string[];
  readonly agents: readonly KnownAgent[];
  /** This device, in the owner's words (at most 128 characters): harnesses record which one decided. */
  readonly viewerId: string;
  /** The program's version, like 0.1.0, where it knows one: compared with the harness's. */
  readonly version?: string;
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  readonly crypto: Crypto;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly uuid: () => string;
  readonly onEvent: (event: ViewerEvent) => void;
  /** For who keeps them: every signed event as it was received, before what it says is told. The owner's own controls come, too. */
  readonly onReceived?: (received: ReceivedEvent) => void;
  /** For who keeps them: seqs of a stream that its harness said, when it was asked, it does not have any more. */
  readonly onLost?: (agent: string, stream: string, spans: readonly SeqSpan[]) => void;
  /** What is held of an agent's streams from before, oldest first: only what is missing is asked for. */
  readonly held?: (agent: string) => readonly HeldStream[];
}

/** An owner's eyes and hands: every admitted agent's events out, controls in. */
export interface Viewer {
  readonly publicKey: string;
  /** Sends a control to an agent and repeats it until it is answered; progress comes as events. Returns its requestId. */
  control(agent: string, draft: ControlDraft): string;
  /** Greets one agent, or all, again: what is missing is asked for anew. */
  resync(agent?: string): void;
  /** Calls an agent so on all of the owner's devices, as soon as a relay keeps it. */
  nameAgent(agent: string, name: string): void;
  /** Asks an agent's harness once more for lines that were told and let go since; they are told as events again, before this is fulfilled. */
  readAgain(agent: string, span: StreamSpan): Promise<LinesAgain>;
  setAgents(agents: readonly KnownAgent[]): void;
  setRelays(urls: readonly string[]): void;
  close(): void;
}

const KIND_PROFILE = 0;
const PUBLISH_TIMEOUT_MS = 10_000;
const MAX_SEEN_IDS = 50_000;
/** Frames of strangers held back, over all of them: shown once someone vouches. */
const MAX_HELD_FRAMES = 100;
const MAX_STRANGERS = 256;
/** How far back usage is read. */
const USAGE_SEC = 31 * 86_400;

/** What a relay of ours answers to an order for an agent that it does not let in. */
const REFUSED = /^mute: blocked: (.*)$/s;
const MAX_REFUSAL_CHARACTERS = 600;

interface Connection {
  readonly client: RelayClient;
  readonly abort: { abort(): void; readonly signal: AbortSignal };
}

/** Connects to the relays, and shows what this owner's agents say. */
export function createViewer(options: ViewerOptions): Viewer {
  const { signer, clock, crypto, onEvent } = options;
  const me = signer.publicKey;
  const admission = new Admission(me, crypto, options.agents);
  const connections = new Map<string, Connection>();
  const agents = new Map<string, AgentView>();
  const seen = new SeenIds(MAX_SEEN_IDS);
  const strangers = new Map<string, { frames: number; held: VerifiedEvent[] }>();
  const nowSec = () => Math.floor(clock.nowMs() / 1_000);
  const names = new OwnerNames({
    signer,
    nowSec,
    publish: async (url, event) =>
      (await connections.get(url)?.client.publish(event, { timeoutMs: PUBLISH_TIMEOUT_MS }))?.ok ?? false,
    changed() {
      onEvent({ type: 'names', names: names.all() });
      for (const view of agents.values()) view.renamed();
    },
  });
  const outbox = new Outbox({ clock, send: sendControl, runOf: (agent) => viewOf(agent).run, onProgress });
  let closed = false;

  function connect(url: string): void {
    const abort = new AbortController();
    const client = createRelayClient({
      url,
      signer,
      openSocket: options.openSocket,
      clock,
      random: options.random,
      onState: (state) => onEvent({ type: 'relay', url, state }),
    });
    connections.set(url, { client, abort });
    void watch(client, abort.signal);
  }

  async function watch(client: RelayClient, signal: AbortSignal): Promise<void> {
    const filters = [
      { kinds: [KIND_OBSERVER, KIND_USAGE], '#p': [me], limit: 0 },
      { kinds: [KIND_PROFILE], '#p': [me] },
      ownerNamesFilter(me),
      ...(options.onReceived === undefined ? [] : [{ kinds: [KIND_OBSERVER], authors: [me], limit: 0 }]),
    ];
    let greeted = false;
    for await (const item of client.subscribe(filters, { signal })) {
      if (item.type === 'event') await receiveSafely(item.event, client.url);
      // Subscribed first, greeted after: what happens in between is not missed.
      else if (item.type === 'eose') {
        greeted = greet(greeted);
        names.noteRead(client.url);
        void readUsage(client, signal);
      } else if (item.type === 'gap') {
        greeted = false;
        names.noteGone(client.url);
      }
    }
  }

  /** Usage that relays have stored: of all agents after each connect, of one when somebody has vouched for it. */
  function readUsage(client: RelayClient, signal: AbortSignal, agent?: string): Promise<void> {
    const authors = agent === undefined ? {} : { authors: [agent] };
    const filter = { kinds: [KIND_USAGE], '#p': [me], ...authors, since: nowSec() - USAGE_SEC };
    return readStored(client, filter, (event) => receiveSafely(event, client.url), signal);
  }

  function greet(already: boolean): true {
    for (const agent of admission.admitted(nowSec())) {
      const known = agents.has(agent);
      const view = viewOf(agent);
      if (!known || !already) view.greet();
    }
    return true;
  }

  /** A frame costs at most itself: whatever goes wrong in it, the next one is read. */
  async function receiveSafely(event: NostrEvent, url: string): Promise<void> {
    try {
      await receive(event, url);
    } catch (cause) {
      const message = `a frame was refused: ${cause instanceof Error ? cause.message : 'unknown fault'}`;
      onEvent({ type: 'warning', agent: event.pubkey, code: 'undecodable', message });
    }
  }

  async function receive(event: NostrEvent, url: string): Promise<void> {
    if (event.kind === KIND_APP_DATA) names.noteSent(url, event.id);
    // Only ids that were verified get into `seen`: a forged event can't keep the real one out.
    if (closed || seen.has(event.id)) return;
    if (event.kind === KIND_USAGE) return receiveUsage(event);
    const isFrame = event.kind === KIND_OBSERVER;
    if (isFrame) {
      const route = parseFrame(event);
      if (!route.ok || route.value.owner !== me) return;
      if (route.value.frame === 'control') return receiveControl(event, route.value.agent);
      if (admission.standing(event.pubkey, nowSec()) === 'revoked') return;
    } else if (event.kind !== KIND_PROFILE && event.kind !== KIND_APP_DATA) return;
    const verified = verifyEvent(event, crypto);
    if (!verified.ok) return;
    seen.add(event.id);
    if (isFrame) await receiveFrame(verified.value, url);
    else if (event.kind === KIND_PROFILE) await learn(verified.value);
    else names.receive(verified.value);
  }

  /** My own, from here or from another viewer: nothing is done, but that it was sent may be kept. */
  function receiveControl(event: NostrEvent, agent: string): void {
    if (options.onReceived === undefined) return;
    const verified = verifyEvent(event, crypto);
    if (!verified.ok) return;
    seen.add(event.id);
    options.onReceived({ event: verified.value, role: 'control', agent, envelope: undefined });
  }

  async function receiveFrame(frame: VerifiedEvent, url: string): Promise<void> {
    if (admission.standing(frame.pubkey, nowSec()) !== 'admitted') {
      hold(frame, url);
      return;
    }
    const opened = await openFrame(frame, signer);
    const decoded = opened.ok ? decodeEnvelope(opened.value.text, crypto) : opened;
    if (!decoded.ok) {
      const message = `a frame could not be read: ${decoded.error.message}`;
      onEvent({ type: 'warning', agent: frame.pubkey, code: 'undecodable', message });
      return;
    }
    const text = opened.ok ? opened.value.text : '';
    options.onReceived?.({
      event: frame,
      role: 'telemetry',
      agent: frame.pubkey,
      envelope: { ...decoded.value, text },
    });
    const events = viewOf(frame.pubkey).receive(decoded.value);
    if (events.length > 0) onEvent({ type: 'events', agent: frame.pubkey, events });
  }

  /** Nothing of a stranger's is kept: it is read again once somebody vouches. */
  async function receiveUsage(event: NostrEvent): Promise<void> {
    const route = parseUsageEvent(event);
    if (!route.ok || route.value.owner !== me) return;
    if (admission.standing(event.pubkey, nowSec(), KIND_USAGE) !== 'admitted') return;
    const verified = verifyEvent(event, crypto);
    if (!verified.ok) return;
    seen.add(event.id);
    options.onReceived?.({ event: verified.value, role: 'usage', agent: event.pubkey, envelope: undefined });
    const report = await openUsage(verified.value, signer);
    if (report.ok) onEvent({ type: 'usage', agent: event.pubkey, id: event.id, report: report.value });
    else {
      const message = `a usage report could not be read: ${report.error.message}`;
      onEvent({ type: 'warning', agent: event.pubkey, code: 'undecodable', message });
    }
  }

  async function learn(profile: VerifiedEvent): Promise<void> {
    if (!admission.learn(profile) || admission.standing(profile.pubkey, nowSec()) !== 'admitted') return;
    const known = agents.has(profile.pubkey);
    if (known) viewOf(profile.pubkey).renamed();
    else viewOf(profile.pubkey).greet();
    await release(profile.pubkey);
  }

  /** What waited for someone to vouch: frames here, usage on the relays. */
  async function release(agent: string): Promise<void> {
    const held = strangers.get(agent)?.held ?? [];
    strangers.delete(agent);
    for (const { client, abort } of connections.values()) void readUsage(client, abort.signal, agent);
    for (const frame of held) await receiveFrame(frame, '');
  }

  function hold(frame: VerifiedEvent, url: string): void {
    const known = strangers.get(frame.pubkey);
    const stranger = known ?? { frames: 0, held: [] };
    if (known === undefined) {
      if (strangers.size >= MAX_STRANGERS) return;
      strangers.set(frame.pubkey, stranger);
      void fetchProfile(frame.pubkey, url);
    }
    stranger.frames++;
    stranger.held.push(frame);
    let total = 0;
    for (const { held } of strangers.values()) total += held.length;
    if (total > MAX_HELD_FRAMES) stranger.held.shift();
    onEvent({ type: 'stranger', publicKey: frame.pubkey, frames: stranger.frames });
  }

  /** Other implementations' profiles do not name me: the one of a key that speaks to me is asked for by its author. */
  async function fetchProfile(agent: string, url: string): Promise<void> {
    const client = connections.get(url)?.client;
    if (client === undefined) return;
    const abort = new AbortController();
    for await (const item of client.subscribe([{ kinds: [KIND_PROFILE], authors: [agent], limit: 1 }], abort)) {
      if (item.type === 'event') await receiveSafely(item.event, url);
      else abort.abort();
    }
  }

  function viewOf(agent: string): AgentView {
    const known = agents.get(agent);
    if (known !== undefined) return known;
    const view = new AgentView(agent, {
      clock,
      name: () => admission.name(agent, names.get(agent)),
      version: options.version,
      uuid: options.uuid,
      hello: (requestId, have) => void sayHello(agent, requestId, have),
      control: (draft) => control(agent, draft),
      result: (result) => outbox.receive(agent, result),
      lost: (stream, spans) => options.onLost?.(agent, stream, spans),
      emit: onEvent,
    });
    for (const stream of options.held?.(agent) ?? []) view.hold(stream);
    agents.set(agent, view);
    return view;
  }

  async function sayHello(
    agent: string,
    requestId: string,
    have: readonly { readonly stream: string; readonly seq: number }[],
  ): Promise<void> {
    const issuedAt = new Date(clock.nowMs()).toISOString();
    const { viewerId: viewer, version } = options;
    const said = version !== undefined ? { version } : {};
    const hello: Control = {
      type: 'hello',
      requestId,
      issuedAt,
      viewer,
      wire: WIRE_VERSION,
      ...said,
      features: [],
      have,
    };
    await sendControl(agent, encodeControl(hello));
  }

  async function sendControl(
    agent: string,
    text: string,
  ): Promise<{ readonly taken: boolean; readonly unheard: boolean; readonly reason?: string }> {
    if (admission.standing(agent, nowSec()) !== 'admitted') {
      return { taken: false, unheard: false, reason: 'this agent is not vouched for' };
    }
    const route = { frame: 'control', agent, owner: me } as const;
    let event: VerifiedEvent;
    try {
      event = await signFrame(await sealContent(text, route, signer), route, nowSec(), signer);
    } catch (cause) {
      return {
        taken: false,
        unheard: false,
        reason: cause instanceof Error ? cause.message : 'the key could not sign',
      };
    }
    const outcomes = await Promise.all(
      [...connections].map(async ([url, { client }]) => ({
        url,
        ...(await client.publish(event, { timeoutMs: PUBLISH_TIMEOUT_MS })),
      })),
    );
    if (outcomes.some((outcome) => outcome.ok && !outcome.value.message.startsWith('mute:'))) {
      return { taken: true, unheard: false };
    }
    const unheard = outcomes.some((outcome) => outcome.ok || outcome.error.code === 'mute');
    if (unheard) {
      const refused = outcomes.flatMap((outcome): readonly Refusal[] => {
        const words = outcome.ok ? undefined : REFUSED.exec(outcome.error.message)?.[1];
        return words === undefined ? [] : [{ relay: outcome.url, words: words.slice(0, MAX_REFUSAL_CHARACTERS) }];
      });
      viewOf(agent).noteUnheard(refused[0]);
    }
    const refusal = outcomes.find((outcome) => !outcome.ok && outcome.error.code !== 'mute');
    const words = refusal !== undefined && !refusal.ok ? refusal.error.message : 'no relay is configured';
    return { taken: false, unheard, reason: unheard ? 'the harness is not connected' : words };
  }

  function control(agent: string, draft: ControlDraft): string {
    const requestId = options.uuid();
    const issuedAt = new Date(clock.nowMs()).toISOString();
    const run = viewOf(agent).run;
    const viewer = options.viewerId;
    outbox.send(agent, { ...draft, requestId, issuedAt, ...(run !== undefined ? { run } : {}), viewer } as Control & {
      requestId: string;
    });
    return requestId;
  }

  function onProgress(progress: Extract<ViewerEvent, { type: 'control' }>['progress']): void {
    onEvent({ type: 'control', progress });
    if (progress.type === 'replay' && progress.phase === 'failed' && progress.result === undefined) {
      agents.get(progress.agent)?.giveUpReplay(progress.requestId);
    }
  }

  function setRelays(urls: readonly string[]): void {
    for (const [url, { client, abort }] of connections) {
      if (urls.includes(url)) continue;
      abort.abort();
      client.close();
      names.noteGone(url);
      connections.delete(url);
    }
    for (const url of urls) if (!connections.has(url)) connect(url);
  }

  setRelays(options.relays);

  return {
    publicKey: me,
    control,
    resync(agent) {
      if (agent !== undefined) viewOf(agent).greet();
      else for (const view of agents.values()) view.greet();
    },
    nameAgent: (agent, name) => names.set(agent, name),
    readAgain: (agent, span) => viewOf(agent).readAgain(span),
    setAgents(list) {
      admission.setAgents(list);
      for (const [agent, view] of agents) {
        if (admission.standing(agent, nowSec()) === 'admitted') continue;
        view.close();
        agents.delete(agent);
      }
      greet(true);
      for (const agent of strangers.keys()) {
        if (admission.standing(agent, nowSec()) === 'admitted') void release(agent);
      }
    },
    setRelays,
    close() {
      closed = true;
      setRelays([]);
      outbox.close();
      for (const view of agents.values()) view.close();
    },
  };
}
