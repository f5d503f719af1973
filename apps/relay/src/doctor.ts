import { lookup } from 'node:dns/promises';
import { statfsSync, statSync } from 'node:fs';
import { authTemplate, type EventSigner, frameBudget, sameRelayUrl } from '@heliograph/wire';
import { httpUrlOf, RelayProbe } from './relay-probe.ts';

/** What one check found: fine, or what is wrong and how to mend it. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly text: string;
}

/** What to look at: the relay's address as others use it, the owner's key, and where the relay runs on this machine its folder. */
export interface Diagnosis {
  readonly url: string;
  readonly signer: EventSigner;
  /** The signer is made for this look alone: the relay will not admit it, and that is no fault. */
  readonly isGuest?: boolean | undefined;
  readonly dataDir?: string | undefined;
  readonly nowSec: () => number;
  readonly patienceMs?: number;
}

class Problem extends Error {}

type Document = {
  readonly supported_nips?: readonly number[];
  readonly limitation?: { readonly max_message_length?: number; readonly max_subid_length?: number };
  readonly name?: string;
  readonly version?: string;
};

/**
 * Looks at a relay the way its clients meet it, step by step: name, connection, clock, document, AUTH, echo, limits,
 * disk. Steps that need one that failed are left out. Never rejects.
 */
export async function* diagnoseRelay(diagnosis: Diagnosis): AsyncGenerator<Finding> {
  const { url, signer, isGuest = false, nowSec, dataDir, patienceMs = 5_000 } = diagnosis;
  if (dataDir !== undefined) yield await finding('disk', async () => checkDisk(dataDir));
  const { hostname, protocol } = new URL(url);
  const dns = await finding('name', async () => {
    const { address } = await lookup(hostname.replace(/^\[|\]$/g, ''));
    return `${hostname} is ${address}`;
  });
  yield dns.ok ? dns : { ...dns, text: `${hostname} is not found (${dns.text}): check the spelling and its DNS entry` };
  if (!dns.ok) return;

  let document: Document = {};
  const http = await finding(protocol === 'wss:' ? 'TLS and HTTP' : 'HTTP', async () => {
    const response = await fetch(httpUrlOf(url), {
      headers: { accept: 'application/nostr+json' },
      signal: AbortSignal.timeout(patienceMs),
    });
    const skewSec = Math.round((Date.parse(response.headers.get('date') ?? '') || nowSec() * 1_000) / 1_000) - nowSec();
    if (!(response.headers.get('content-type') ?? '').includes('nostr+json')) {
      throw new Problem(
        `status ${response.status} and no relay document: a proxy in front must pass every path, and Accept, on`,
      );
    }
    document = (await response.json()) as Document;
    if (Math.abs(skewSec) > 30) {
      throw new Problem(
        `its clock and this one are ${skewSec} s apart, and AUTH allows 60: set the clock (timedatectl set-ntp true)`,
      );
    }
    return `${document.name ?? 'a relay'} ${document.version ?? ''}, clocks ${Math.abs(skewSec)} s apart`;
  });
  yield http.ok ? http : { ...http, text: `${http.text}${hintFor(http.text, url)}` };
  if (!http.ok) return;

  let probe: RelayProbe;
  try {
    probe = await RelayProbe.open(url, patienceMs);
  } catch (cause) {
    const text = `no WebSocket: ${messageOf(cause)}; a proxy in front must pass Upgrade and Connection on (Caddy does by itself, nginx needs proxy_http_version 1.1 and both headers)`;
    yield { check: 'WebSocket', ok: false, text };
    return;
  }
  yield { check: 'WebSocket', ok: true, text: `open at ${url}` };
  try {
    const auth = await finding('AUTH', () => authenticate(probe, url, signer, nowSec(), isGuest));
    yield auth;
    if (!auth.ok) return;
    if (!isGuest) {
      yield await finding('echo', () => echoThrough(probe, signer, nowSec()));
      yield await finding('NIP-11', () => checkDocument(probe, document));
    }
    yield await finding('limits', async () => checkLimits(document));
  } finally {
    probe.close();
  }
  yield await finding('page', () => checkPage(`${httpUrlOf(url).replace(/\/*$/, '')}/`, patienceMs));
  yield await finding('readiness', async () => {
    const response = await fetch(new URL('readyz', `${httpUrlOf(url).replace(/\/?$/, '/')}`), {
      signal: AbortSignal.timeout(patienceMs),
    });
    const state = (await response.json()) as { ready?: boolean; check?: string; reason?: string };
    if (state.ready !== true) throw new Problem(`the relay says ${state.check}: ${state.reason}`);
    return 'the relay itself says it is ready';
  });
}

/** The page, and one file of it: a proxy that changes paths breaks the second. */
async function checkPage(pageUrl: string, patienceMs: number): Promise<string> {
  const get = (address: string, accept: string) =>
    fetch(address, { headers: { accept }, signal: AbortSignal.timeout(patienceMs) });
  const page = await get(pageUrl, 'text/html');
  const script = /<script[^>]* src="([^"]+)"/.exec(page.ok ? await page.text() : '')?.[1];
  if (!page.ok)
    throw new Problem(`${pageUrl} is answered ${page.status} to a browser: a proxy must pass every path on`);
  if (script === undefined) return `none is served at ${pageUrl}, only a word about the relay (--no-ui)`;
  const file = new URL(script, page.url);
  const { status, headers } = await get(file.href, '*/*');
  if (status !== 200 || !(headers.get('content-type') ?? '').includes('javascript')) {
    throw new Problem(
      `its script ${file.href} is answered ${status}: a proxy must pass every path below ${pageUrl} on; where the relay lives below a path, --public-url must have that path`,
    );
  }
  return `served whole at ${page.url}`;
}

async function finding(check: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, text: await look() };
  } catch (cause) {
    return { check, ok: false, text: messageOf(cause) };
  }
}

function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause instanceof Error ? cause.cause.message : undefined;
  return inner === undefined || inner === '' ? cause.message : inner;
}

function hintFor(text: string, url: string): string {
  if (/ECONNREFUSED|connect/.test(text)) {
    return ': nothing listens there; start it with heliograph relay, and with --host 0.0.0.0 when others are to reach it';
  }
  if (/self-signed|unable to (verify|get)/i.test(text)) {
    return ': no authority that this machine knows signed it; for one of your own making start this with NODE_EXTRA_CA_CERTS=FILE, and agents too';
  }
  if (/certificate|SSL|TLS|wrong version number/i.test(text)) {
    return `: the TLS in front of it is not right for ${new URL(url).hostname}; Caddy gets a certificate by itself when the name points at it`;
  }
  return '';
}

async function authenticate(
  probe: RelayProbe,
  url: string,
  signer: EventSigner,
  nowSec: number,
  isGuest: boolean,
): Promise<string> {
  const [, challenge] = await probe.until(([type]) => type === 'AUTH', 'an AUTH challenge (NIP-42)');
  const event = signer.sign(authTemplate({ relayUrl: url, challenge: String(challenge), createdAtSec: nowSec }));
  probe.say(['AUTH', event]);
  const [, , ok, reason] = await probe.until(([type, id]) => type === 'OK' && id === event.id, 'an answer to AUTH');
  if (ok === true) return 'the key is admitted';
  if (isGuest && String(reason).startsWith('restricted:')) {
    return 'a passing key is refused, as it should be; echo and claims need an owner: --owner-key FILE';
  }
  const known = /this relay is (\S+): /.exec(String(reason))?.[1];
  if (known !== undefined && !sameRelayUrl(known, url)) {
    throw new Problem(`the relay knows itself as ${known} and not as ${url}: start it with --public-url ${url}`);
  }
  throw new Problem(String(reason));
}

/** The relay's own kind for asking itself. */
const KIND_ECHO = 29_747;

async function echoThrough(probe: RelayProbe, signer: EventSigner, nowSec: number): Promise<string> {
  probe.say(['REQ', 'doctor', { kinds: [KIND_ECHO], '#p': [signer.publicKey], limit: 0 }]);
  const [end, , reason] = await probe.until(([type]) => type === 'EOSE' || type === 'CLOSED', 'EOSE');
  if (end === 'CLOSED') throw new Problem(`a subscription was refused: ${String(reason)}`);
  const event = signer.sign({ kind: KIND_ECHO, created_at: nowSec, tags: [['p', signer.publicKey]], content: '' });
  const startedAtMs = performance.now();
  const answer = await probe.publish(event);
  if (!answer.ok) throw new Problem(`an event was refused: ${answer.reason}`);
  await probe.until(([type]) => type === 'EVENT', 'the published event');
  return `published and received back in ${(performance.now() - startedAtMs).toFixed(1)} ms`;
}

/** Each claim that can be tried is. */
async function checkDocument(probe: RelayProbe, { supported_nips = [], limitation }: Document): Promise<string> {
  const length = limitation?.max_subid_length;
  const claims: [number | undefined, readonly unknown[], string][] = [
    [45, ['COUNT', 'claim', { kinds: [1] }], 'COUNT'],
    [50, ['REQ', 'claim', { search: 'heliograph', limit: 1 }], 'EOSE'],
    [77, ['NEG-OPEN', 'claim', { kinds: [1], limit: 1, until: 0 }, '61'], 'NEG-MSG'],
    [length, ['REQ', 'x'.repeat((length ?? 0) + 1), {}], 'CLOSED'],
  ];
  for (const [claim, message, answer] of claims) {
    const isMade = claim !== undefined && (claim === length || supported_nips.includes(claim));
    if (!isMade) continue;
    probe.say(message);
    const [type] = await probe.until(([type]) => !['EVENT', 'EOSE'].includes(type) || type === answer, answer);
    if (type !== answer) throw new Problem(`it claims what it does not do: ${String(message[0])} is answered ${type}`);
  }
  return `what it claims and can be tried holds (NIPs ${supported_nips.join(', ')})`;
}

function checkLimits({ limitation = {} }: Document): string {
  const budget = frameBudget([limitation]);
  if (!budget.ok) throw new Problem(`${budget.error.message}: raise its message size to 128 KiB`);
  return `frames of ${budget.value} bytes fit`;
}

const MIN_FREE_BYTES = 512 * 1024 * 1024;

function checkDisk(dataDir: string): string {
  const { bavail, bsize } = statfsSync(dataDir);
  const freeBytes = bavail * bsize;
  const { uid, mode } = statSync(dataDir);
  const free = `${Math.round(freeBytes / 1024 / 1024)} MiB free at ${dataDir}`;
  if (freeBytes < MIN_FREE_BYTES) throw new Problem(`only ${free}: make room, or set --retention`);
  if ((mode & 0o077) !== 0) throw new Problem(`${dataDir} can be read by others: chmod 700 ${dataDir}`);
  return `${free}, of uid ${uid}`;
}
