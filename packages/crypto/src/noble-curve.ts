import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { badPublicKey, badSecretKey, type Curve, checkLength, liftX } from './curve.ts';

/** secp256k1 by @noble/curves: pure JavaScript, in a page and in Node. */
export const nobleCurve: Curve = {
  publicKey(secretKey) {
    checkSecretKey(secretKey);
    return schnorr.getPublicKey(secretKey);
  },
  ecdhX(secretKey, xOnlyPublicKey) {
    checkSecretKey(secretKey);
    checkLength('public key', xOnlyPublicKey, 32);
    try {
      return secp256k1.getSharedSecret(secretKey, liftX(xOnlyPublicKey), true).subarray(1);
    } catch {
      throw badPublicKey();
    }
  },
  schnorrSign(hash32, secretKey, aux32) {
    checkSecretKey(secretKey);
    checkLength('hash', hash32, 32);
    checkLength('auxiliary randomness', aux32, 32);
    return schnorr.sign(hash32, secretKey, aux32);
  },
  schnorrVerify(sig64, hash32, xOnlyPublicKey) {
    try {
      return hash32.length === 32 && schnorr.verify(sig64, hash32, xOnlyPublicKey);
    } catch {
      return false;
    }
  },
};

function checkSecretKey(secretKey: Uint8Array): void {
  checkLength('secret key', secretKey, 32);
  if (!secp256k1.utils.isValidSecretKey(secretKey)) throw badSecretKey();
}
