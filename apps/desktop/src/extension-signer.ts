import { type SignerFault, type SignerMethod, signerFault } from '@heliograph/client';
import { err, ok, type Result } from '@heliograph/wire';

/** What a NIP-07 extension puts into the page, as far as it is used. */
interface Nip07 {
  getPublicKey(): Promise<string>;
  signEvent(event: object): Promise<object>;
  readonly nip44?: {
    encrypt(peer: string, text: string): Promise<string>;
    decrypt(peer: string, text: string): Promise<string>;
  };
}

const found = (): Nip07 | undefined => (globalThis as { nostr?: Nip07 }).nostr;

/** Whether this browser has a signer in it. */
export function hasExtension(): boolean {
  return found() !== undefined;
}

/** Asks the extension; what it throws is an answer. */
export async function askExtension(
  method: SignerMethod,
  params: readonly string[],
): Promise<Result<string, SignerFault>> {
  const nostr = found();
  if (nostr === undefined) {
    return err({ code: 'away', message: 'this browser’s signer is gone: is its extension still on?' });
  }
  const [first = '', second = ''] = params;
  try {
    switch (method) {
      case 'get_public_key':
        return ok(await nostr.getPublicKey());
      case 'sign_event':
        return ok(JSON.stringify(await nostr.signEvent(JSON.parse(first) as object)));
      case 'nip44_encrypt':
      case 'nip44_decrypt': {
        const { nip44 } = nostr;
        if (nip44 === undefined) return err({ code: 'failed', message: 'this browser’s signer has no NIP-44' });
        return ok(await (method === 'nip44_encrypt' ? nip44.encrypt(first, second) : nip44.decrypt(first, second)));
      }
    }
  } catch (cause) {
    return err(signerFault(cause instanceof Error ? cause.message : String(cause)));
  }
}
