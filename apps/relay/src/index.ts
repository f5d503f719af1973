export type { Log } from './log.ts';
export { type RunningRelay, type StartRelayOptions, startRelay } from './start-relay.ts';
