import { randomUUID } from 'node:crypto';
import { type Clock, type OpenSocket, openSocketWith } from '@heliograph/client';
import WebSocket from 'ws';

/** The edge of the world: what the harness uses when its caller hands nothing else in. */

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  setTimer(delayMs, fire) {
    const timer = setTimeout(fire, delayMs);
    return () => clearTimeout(timer);
  },
};

export const systemRandom = () => Math.random();

export const systemUuid = () => randomUUID();

/** No compression: frames are ciphertext. */
export const systemSocket: OpenSocket = openSocketWith(
  class extends WebSocket {
    constructor(url: string) {
      super(url, { perMessageDeflate: false });
    }
  },
);
