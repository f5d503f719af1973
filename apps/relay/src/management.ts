import { isHex64 } from '@heliograph/wire';

/** What managing a relay can change (NIP-86); the relay's host does it. */
export interface ManagedRelay {
  readonly owners: () => ReadonlySet<string>;
  setKey(pubkey: string, verdict: 'allow' | 'deny' | undefined, reason: string): Promise<void>;
  keys(verdict: 'allow' | 'deny'): Promise<readonly { readonly pubkey: string; readonly reason: string }[]>;
  banEvent(id: string, reason: string): Promise<void>;
  unbanEvent(id: string): Promise<void>;
  bannedEvents(): Promise<readonly { readonly id: string; readonly reason: string }[]>;
  /** Shown in NIP-11 from now on. */
  rename(what: 'name' | 'description', text: string): Promise<void>;
  stats(): Promise<Readonly<Record<string, number>>>;
}

/** A method's answer: NIP-86's body. */
export type ManagementAnswer = { readonly result: unknown } | { readonly error: string };

type Method = (relay: ManagedRelay, subject: string, reason: string) => Promise<unknown>;

const METHODS: Readonly<Record<string, { readonly needs: 'key' | 'id' | 'text' | 'nothing'; readonly act: Method }>> = {
  allowpubkey: { needs: 'key', act: (relay, key, reason) => relay.setKey(key, 'allow', reason) },
  unallowpubkey: { needs: 'key', act: (relay, key) => forget(relay, key, 'allow') },
  banpubkey: { needs: 'key', act: (relay, key, reason) => relay.setKey(key, 'deny', reason) },
  unbanpubkey: { needs: 'key', act: (relay, key) => forget(relay, key, 'deny') },
  listallowedpubkeys: { needs: 'nothing', act: (relay) => relay.keys('allow') },
  listbannedpubkeys: { needs: 'nothing', act: (relay) => relay.keys('deny') },
  banevent: { needs: 'id', act: (relay, id, reason) => relay.banEvent(id, reason) },
  unbanevent: { needs: 'id', act: (relay, id) => relay.unbanEvent(id) },
  listbannedevents: { needs: 'nothing', act: (relay) => relay.bannedEvents() },
  changerelayname: { needs: 'text', act: (relay, text) => relay.rename('name', text) },
  changerelaydescription: { needs: 'text', act: (relay, text) => relay.rename('description', text) },
  stats: { needs: 'nothing', act: (relay) => relay.stats() },
};

async function forget(relay: ManagedRelay, key: string, verdict: 'allow' | 'deny'): Promise<void> {
  const keys = await relay.keys(verdict);
  if (keys.some(({ pubkey }) => pubkey === key)) await relay.setKey(key, undefined, '');
}

/** The longest reason, name or description that is kept, in characters. */
const MAX_TEXT_LENGTH = 1_000;

/** Does what a NIP-86 request body asks for; who asks was checked before. Rejects when the storage fails. */
export async function manage(relay: ManagedRelay, body: string): Promise<ManagementAnswer> {
  let request: unknown;
  try {
    request = JSON.parse(body);
  } catch {
    return { error: 'the body must be JSON: {"method": "…", "params": […]}' };
  }
  const { method, params = [] } = (request ?? {}) as { method?: unknown; params?: unknown };
  if (method === 'supportedmethods') return { result: Object.keys(METHODS) };
  const found = typeof method === 'string' && Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (found === undefined) return { error: 'no such method: supportedmethods lists those there are' };
  const [subject = '', reason = ''] = Array.isArray(params) ? (params as unknown[]) : [];
  if (typeof subject !== 'string' || typeof reason !== 'string') return { error: 'params must be strings' };
  if (subject.length > MAX_TEXT_LENGTH || reason.length > MAX_TEXT_LENGTH) {
    return { error: `a text may have ${MAX_TEXT_LENGTH} characters` };
  }
  if ((found.needs === 'key' || found.needs === 'id') && !isHex64(subject)) {
    return { error: `the first parameter of ${method} must be 64 lower-case hex characters` };
  }
  if (found.needs === 'text' && subject.trim() === '')
    return { error: `the first parameter of ${method} must be a text` };
  if (method === 'banpubkey' && relay.owners().has(subject)) {
    return { error: 'an owner is named where the relay is started, and can only be removed there' };
  }
  return { result: (await found.act(relay, subject, reason)) ?? true };
}
