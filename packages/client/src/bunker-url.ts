import { err, isHex64, normalizeRelayUrl, ok, type Result } from '@heliograph/wire';

/** A remote signer to meet (NIP-46): its key, where, and the secret that it knows us by the first time. */
export interface BunkerAddress {
  readonly signer: string;
  readonly relays: readonly string[];
  readonly secret: string | undefined;
}

const MAX_RELAYS = 8;
/** What we ask a signer for: AUTH, controls and the names of agents to sign, frames to open. */
export const SIGNER_PERMISSIONS =
  'sign_event:22242,sign_event:24200,sign_event:30078,nip44_encrypt,nip44_decrypt,get_public_key';

/** Reads a `bunker://` address. Pure. */
export function parseBunkerUrl(text: string): Result<BunkerAddress, { readonly message: string }> {
  const [, signer, query = ''] = /^bunker:\/\/([0-9a-f]{64})\/?\?(.*)$/i.exec(text.trim()) ?? [];
  if (signer === undefined) return err({ message: 'a signer’s address looks like bunker://KEY?relay=wss://…' });
  const params = readQuery(query);
  const relays = params.filter(([name]) => name === 'relay').flatMap(([, url]) => normalizeRelayUrl(url) ?? []);
  if (relays.length === 0) return err({ message: 'this signer’s address names no relay to meet it on' });
  const secret = params.find(([name]) => name === 'secret')?.[1];
  return ok({ signer: signer.toLowerCase(), relays: relays.slice(0, MAX_RELAYS), secret });
}

/** The `nostrconnect://` address by which a signer finds us. Pure. */
export function nostrConnectUrl(client: string, relays: readonly string[], secret: string, name: string): string {
  if (!isHex64(client)) throw new RangeError('client must be a public key of 64 lower-case hex characters');
  const query = [
    ...relays.map((url) => ['relay', url] as const),
    ['secret', secret] as const,
    ['perms', SIGNER_PERMISSIONS] as const,
    ['name', name] as const,
  ];
  return `nostrconnect://${client}?${query.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&')}`;
}

function readQuery(query: string): readonly (readonly [string, string])[] {
  return query.split('&').map((pair) => {
    const at = pair.indexOf('=');
    const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
    try {
      return [name, decodeURIComponent(value.replaceAll('+', ' '))] as const;
    } catch {
      return [name, value] as const;
    }
  });
}
