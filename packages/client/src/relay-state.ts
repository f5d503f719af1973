/** Where a connection to one relay stands. `waiting`: broken, tried again at `retryAtMs`. `stopped`: closed by us. */
export interface RelayState {
  readonly phase: 'connecting' | 'authenticating' | 'ready' | 'waiting' | 'stopped';
  /** Why it is not ready, in words a person can act on. */
  readonly reason?: string;
  readonly retryAtMs?: number;
  readonly sinceMs: number;
}
