/**
 * Everything the relay bounds, in one object: the engine enforces it, the socket layer sizes itself by it, and the
 * NIP-11 document is written from it, so what is advertised is what happens.
 */
export interface RelayLimits {
  /** Bytes of one WebSocket message in either its text or its fragments together; above: NOTICE, then close 1009. */
  readonly maxMessageBytes: number;
  /** Open subscriptions per connection. */
  readonly maxSubscriptions: number;
  /** Filters per REQ. */
  readonly maxFilters: number;
  /** Characters of a subscription id (NIP-01). */
  readonly maxSubIdLength: number;
  /** The most stored events one filter can ask for. */
  readonly maxLimit: number;
  /** What a filter without `limit` gets. */
  readonly defaultLimit: number;
  /** The most a COUNT counts; at it the answer says approximate. */
  readonly maxCount: number;
  /** Events one NIP-77 reconciliation can be about; for more, narrow the filter. */
  readonly maxSyncEvents: number;
  /** Open reconciliations per connection, and milliseconds one may rest. */
  readonly maxSyncs: number;
  readonly syncIdleMs: number;
  /** Bytes of stored events one REQ is answered with; the newest that fit, so a client goes on with `until`. */
  readonly maxAnswerBytes: number;
  /** Events held for one subscription while what is stored for it is being read; above: it is CLOSED. */
  readonly maxHeldEvents: number;
  /** Tags per event. */
  readonly maxEventTags: number;
  /** Characters of an event's content. */
  readonly maxContentLength: number;
  /** Seconds an event's created_at may lie behind the relay's clock. */
  readonly maxPastSec: number;
  /** Seconds it may lie ahead. */
  readonly maxFutureSec: number;
  /** Seconds an ephemeral event's created_at may lie off either way (WIRE: frames 300). */
  readonly ephemeralSkewSec: number;
  /** Events per second and key, and how many may come at once after quiet. A tenth of those is kept free for control frames. */
  readonly eventsPerSec: number;
  readonly eventBurst: number;
  /** REQs per second and key, and how many may come at once after quiet. */
  readonly requestsPerSec: number;
  readonly requestBurst: number;
  /** Connections at once, in all and from one address; beyond, the longest without an admitted key gives way to a new one. */
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Connections that are no WebSocket, or not yet, at once, in all and from one address; beyond, the longest open is cut off for a new one. */
  readonly maxHttpConnections: number;
  readonly maxHttpConnectionsPerAddress: number;
  /** Milliseconds a connection may stay without an admitted key before it is closed. */
  readonly unauthenticatedMs: number;
  /** Milliseconds a connection may take for the head of its HTTP request. */
  readonly headersMs: number;
  /** AUTH messages a connection may send without being admitted. */
  readonly maxAuthAttempts: number;
  /** Bytes waiting for a connection that does not read; above: it is closed. */
  readonly maxOutboundBytes: number;
  /** Milliseconds between pings; a connection that answered none in between is gone. Below usual proxy idle times. */
  readonly pingIntervalMs: number;
}

/** What a relay for an owner and a few dozen agents needs, with room. */
export const DEFAULT_LIMITS: RelayLimits = {
  maxMessageBytes: 262_144,
  maxSubscriptions: 64,
  maxFilters: 16,
  maxSubIdLength: 64,
  maxLimit: 1_000,
  defaultLimit: 500,
  maxCount: 100_000,
  maxSyncEvents: 100_000,
  maxSyncs: 2,
  syncIdleMs: 60_000,
  maxAnswerBytes: 8 * 1024 * 1024,
  maxHeldEvents: 1_000,
  maxEventTags: 2_000,
  maxContentLength: 196_608,
  maxPastSec: 10 * 365 * 86_400,
  maxFutureSec: 900,
  ephemeralSkewSec: 300,
  eventsPerSec: 250,
  eventBurst: 1_000,
  requestsPerSec: 50,
  requestBurst: 200,
  maxConnections: 10_000,
  maxConnectionsPerAddress: 1_024,
  maxHttpConnections: 2_048,
  maxHttpConnectionsPerAddress: 256,
  unauthenticatedMs: 60_000,
  headersMs: 10_000,
  maxAuthAttempts: 8,
  maxOutboundBytes: 16 * 1024 * 1024,
  pingIntervalMs: 25_000,
};
