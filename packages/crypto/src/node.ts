import type { Crypto } from '@heliograph/wire/nostr';
import type { Curve } from './curve.ts';
import { loadLibsecp256k1 } from './libsecp256k1.ts';
import { nobleCrypto } from './noble.ts';
import { nobleCurve } from './noble-curve.ts';
import { nodePrimitives } from './node-primitives.ts';
import { selfTest } from './self-test.ts';
import { loadTinySecp256k1 } from './tiny-secp256k1.ts';

/** An engine that could be had here, or why not. */
export type NodeEngine =
  | { readonly name: string; readonly crypto: Crypto }
  | { readonly name: string; readonly absent: string };

/** Where to look for libsecp256k1 instead of the usual places: a file path or soname. */
export interface NodeCryptoOptions {
  readonly libraryPath?: string;
}

/** Every engine for Node, best first, each loaded and self-tested: for tests, benchmarks and `doctor`. */
export function nodeEngines(options: NodeCryptoOptions = {}): NodeEngine[] {
  return candidates(options).map(load);
}

/**
 * The fastest engine that loads here and passes BIP-340's and NIP-44's vectors, and a sentence for the log that names it
 * and says why better ones were passed over. Throws Error when even pure JavaScript fails its self-test.
 */
export function selectNodeCrypto(options: NodeCryptoOptions = {}): {
  readonly crypto: Crypto;
  readonly report: string;
} {
  const passedOver: string[] = [];
  for (const candidate of candidates(options)) {
    const engine = load(candidate);
    if ('crypto' in engine)
      return { crypto: engine.crypto, report: [`crypto: ${engine.crypto.name}`, ...passedOver].join('; ') };
    passedOver.push(`${engine.name} passed over (${engine.absent})`);
  }
  throw new Error(`no crypto engine works here: ${passedOver.join('; ')}`);
}

interface Candidate {
  readonly name: string;
  make(): Crypto;
}

function candidates({ libraryPath }: NodeCryptoOptions): Candidate[] {
  return [
    {
      name: 'libsecp256k1',
      make() {
        const { curve, path } = loadLibsecp256k1(libraryPath);
        return withNode(`libsecp256k1 (${path})`, curve);
      },
    },
    { name: 'tiny-secp256k1', make: () => withNode('tiny-secp256k1', loadTinySecp256k1()) },
    { name: 'noble with node:crypto', make: () => withNode('noble with node:crypto', nobleCurve) },
    { name: 'noble', make: () => nobleCrypto },
  ];
}

function withNode(name: string, curve: Curve): Crypto {
  return { name, ...nodePrimitives, ...curve };
}

function load({ name, make }: Candidate): NodeEngine {
  let crypto: Crypto;
  try {
    crypto = make();
  } catch (cause) {
    return { name, absent: cause instanceof Error ? cause.message : String(cause) };
  }
  const fault = selfTest(crypto);
  return fault === undefined ? { name, crypto } : { name, absent: fault };
}
