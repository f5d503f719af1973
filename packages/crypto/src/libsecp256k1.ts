import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as Koffi from 'koffi';
import { badPublicKey, badSecretKey, type Curve, checkLength, liftX } from './curve.ts';

const require = createRequire(import.meta.url);

/**
 * Where the system's library may be. Sonames are found by the loader in the system's own folders; macOS looks a bare name
 * up in the working directory too, so there only full paths are tried.
 */
const LIBRARY_NAMES = [
  'libsecp256k1.so.6',
  'libsecp256k1.so.2',
  'libsecp256k1.so.1',
  'libsecp256k1.so.0',
  '/opt/homebrew/lib/libsecp256k1.dylib',
  '/usr/local/lib/libsecp256k1.dylib',
];

/** SECP256K1_CONTEXT_SIGN | SECP256K1_CONTEXT_VERIFY: what 0.2 and older ask for, and newer ones accept. */
const CONTEXT_FLAGS = 0x301;
const PUBLIC_KEY_BYTES = 64;
const KEYPAIR_BYTES = 96;

/**
 * secp256k1 by the system's libsecp256k1 through koffi (constant time on secrets). Loads `libraryPath`, or the first
 * library found; throws Error when none can be loaded or it lacks the schnorrsig, extrakeys or ecdh module.
 */
export function loadLibsecp256k1(libraryPath?: string): { readonly curve: Curve; readonly path: string } {
  const koffi = require('koffi') as typeof Koffi;
  // Most names fail with the same words, so each reason is kept once.
  const failures = new Set<string>();
  for (const path of libraryPath === undefined ? LIBRARY_NAMES : [libraryPath]) {
    try {
      return { curve: bindCurve(koffi, koffi.load(path)), path };
    } catch (cause) {
      failures.add(cause instanceof Error ? cause.message : String(cause));
    }
  }
  throw new Error(`${[...failures].join('; ')}; on Debian and Ubuntu it is in the package libsecp256k1-1 or -2`);
}

function bindCurve(koffi: typeof Koffi, library: Koffi.LibraryHandle): Curve {
  // schnorrsig_sign32 first: a library without it is so old that its schnorrsig_verify takes other arguments.
  const sign32 = library.func(
    'int secp256k1_schnorrsig_sign32(void *, void *, const void *, const void *, const void *)',
  );
  const verify = library.func(
    'int secp256k1_schnorrsig_verify(void *, const void *, const void *, size_t, const void *)',
  );
  const parseXOnly = library.func('int secp256k1_xonly_pubkey_parse(void *, void *, const void *)');
  const serializeXOnly = library.func('int secp256k1_xonly_pubkey_serialize(void *, void *, const void *)');
  const createKeypair = library.func('int secp256k1_keypair_create(void *, void *, const void *)');
  const keypairXOnly = library.func('int secp256k1_keypair_xonly_pub(void *, void *, void *, const void *)');
  const parsePublicKey = library.func('int secp256k1_ec_pubkey_parse(void *, void *, const void *, size_t)');
  const hashFunction = koffi.pointer(koffi.proto('int', ['void *', 'void *', 'void *', 'void *']));
  const ecdhArguments = ['void *', 'void *', 'const void *', 'const void *', hashFunction, 'void *'];
  const ecdh = library.func('secp256k1_ecdh', 'int', ecdhArguments);
  const createContext = library.func('void *secp256k1_context_create(unsigned int)');
  const randomizeContext = library.func('int secp256k1_context_randomize(void *, const void *)');

  const context = createContext(CONTEXT_FLAGS);
  // Blinds the secret computations against side channels, as the library's own documentation asks.
  randomizeContext(context, randomBytes(32));

  // Reused by every call: the calls are synchronous, and nothing here outlives one.
  const point = new Uint8Array(PUBLIC_KEY_BYTES);
  const keypair = new Uint8Array(KEYPAIR_BYTES);
  const unusedHash = new Uint8Array(32);

  const points = new KnownPoints((xOnly, parsed) => parseXOnly(context, parsed, xOnly) === 1);

  const withKeypair = <T>(secretKey: Uint8Array, use: () => T): T => {
    checkLength('secret key', secretKey, 32);
    try {
      if (createKeypair(context, keypair, secretKey) !== 1) throw badSecretKey();
      return use();
    } finally {
      keypair.fill(0);
    }
  };

  return {
    publicKey: (secretKey) =>
      withKeypair(secretKey, () => {
        const xOnly = new Uint8Array(32);
        keypairXOnly(context, point, null, keypair);
        serializeXOnly(context, xOnly, point);
        return xOnly;
      }),
    ecdhX(secretKey, xOnlyPublicKey) {
      checkLength('secret key', secretKey, 32);
      checkLength('public key', xOnlyPublicKey, 32);
      if (parsePublicKey(context, point, liftX(xOnlyPublicKey), 33) !== 1) throw badPublicKey();
      const sharedX = new Uint8Array(32);
      // The library hashes the shared point by a function of ours, which is how to see X without a hash.
      const takeX = (_output: bigint, x32: bigint): number => {
        sharedX.set(koffi.decode(x32, 'uint8_t', 32) as Uint8Array);
        return 1;
      };
      if (ecdh(context, unusedHash, point, secretKey, takeX, null) !== 1) throw badSecretKey();
      return sharedX;
    },
    schnorrSign: (hash32, secretKey, aux32) =>
      withKeypair(secretKey, () => {
        checkLength('hash', hash32, 32);
        checkLength('auxiliary randomness', aux32, 32);
        const sig = new Uint8Array(64);
        if (sign32(context, sig, hash32, keypair, aux32) !== 1) throw new Error('libsecp256k1 could not sign');
        return sig;
      }),
    schnorrVerify(sig64, hash32, xOnlyPublicKey) {
      if (sig64.length !== 64 || hash32.length !== 32 || xOnlyPublicKey.length !== 32) return false;
      const signer = points.of(xOnlyPublicKey);
      return signer !== undefined && verify(context, sig64, hash32, 32, signer) === 1;
    },
  };
}

/** How many keys' points are remembered; a power of two. */
const KNOWN_POINTS = 1_024;

/**
 * Public keys as the library parsed them, so that who signs often costs the square root once: an eighth of a check. Each
 * key has one place, by its first bytes, and a later key takes it.
 */
class KnownPoints {
  readonly #parse: (xOnlyPublicKey: Uint8Array, point: Uint8Array) => boolean;
  readonly #places: { readonly key: Uint8Array; readonly point: Uint8Array }[] = [];

  constructor(parse: (xOnlyPublicKey: Uint8Array, point: Uint8Array) => boolean) {
    this.#parse = parse;
  }

  /** The point of this x-only key, or undefined when there is none on the curve. */
  of(xOnlyPublicKey: Uint8Array): Uint8Array | undefined {
    const place = ((xOnlyPublicKey[0] as number) | ((xOnlyPublicKey[1] as number) << 8)) % KNOWN_POINTS;
    const known = this.#places[place];
    if (known !== undefined && isSame(known.key, xOnlyPublicKey)) return known.point;
    const point = new Uint8Array(PUBLIC_KEY_BYTES);
    if (!this.#parse(xOnlyPublicKey, point)) return undefined;
    // A copy, because the caller may use its bytes again.
    this.#places[place] = { key: new Uint8Array(xOnlyPublicKey), point };
    return point;
  }
}

/** Of public keys, so it may stop at the first difference. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
