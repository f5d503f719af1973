import { createECDH } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as Tiny from 'tiny-secp256k1';
import { badPublicKey, badSecretKey, type Curve, checkLength, liftX } from './curve.ts';

const require = createRequire(import.meta.url);

/** secp256k1 by tiny-secp256k1 (libsecp256k1 as WebAssembly); throws Error when the package can't be loaded. */
export function loadTinySecp256k1(): Curve {
  const tiny = require('tiny-secp256k1') as typeof Tiny;
  const checkSecretKey = (secretKey: Uint8Array): void => {
    checkLength('secret key', secretKey, 32);
    if (!tiny.isPrivate(secretKey)) throw badSecretKey();
  };
  return {
    publicKey(secretKey) {
      checkSecretKey(secretKey);
      return tiny.xOnlyPointFromScalar(secretKey);
    },
    ecdhX(secretKey, xOnlyPublicKey) {
      checkSecretKey(secretKey);
      checkLength('public key', xOnlyPublicKey, 32);
      if (!tiny.isXOnlyPoint(xOnlyPublicKey)) throw badPublicKey();
      // OpenSSL's, because the only multiplication tiny exports does not take constant time on its scalar.
      const ecdh = createECDH('secp256k1');
      ecdh.setPrivateKey(secretKey);
      return new Uint8Array(ecdh.computeSecret(liftX(xOnlyPublicKey)));
    },
    schnorrSign(hash32, secretKey, aux32) {
      checkSecretKey(secretKey);
      checkLength('hash', hash32, 32);
      checkLength('auxiliary randomness', aux32, 32);
      return tiny.signSchnorr(hash32, secretKey, aux32);
    },
    schnorrVerify(sig64, hash32, xOnlyPublicKey) {
      try {
        return tiny.verifySchnorr(hash32, xOnlyPublicKey, sig64);
      } catch {
        // It throws on keys off the curve and on r or s out of range, which are just signatures that do not hold.
        return false;
      }
    },
  };
}
