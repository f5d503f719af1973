export type { Log } from './log.ts';
export { type RelaySettings, type RunningRelay, type StartRelayOptions, startRelay } from './start-relay.ts';
