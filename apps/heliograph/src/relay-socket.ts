import { type Clock, type OpenSocket, openSocketWith } from '@heliograph/client';
import WebSocket from 'ws';

/** Time as it is. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  setTimer(delayMs, fire) {
    const timer = setTimeout(fire, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Real sockets to relays. */
export const systemSocket: OpenSocket = openSocketWith(WebSocket);
