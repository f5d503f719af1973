import type { RelayEngine, SqliteStore } from '@heliograph/relay';
import { encodeNpub } from '@heliograph/wire';
import type { Log } from './log.ts';
import type { ManagedRelay } from './management.ts';
import type { Metrics } from './metrics.ts';
import type { RelayHost } from './relay-host.ts';

/** What NIP-86 acts on: every change is written first, then in force. */
export function managedRelay({
  store,
  relay,
  engine,
  metrics,
  log,
  owners,
}: {
  readonly store: SqliteStore;
  readonly relay: RelayHost;
  readonly engine: RelayEngine;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly owners: () => ReadonlySet<string>;
}): ManagedRelay {
  const { access } = store;
  return {
    owners,
    setKey: (pubkey, verdict, reason) => {
      access.setKey(pubkey, verdict, reason);
      relay.applyAccess();
      log.info({ key: encodeNpub(pubkey), verdict: verdict ?? 'forgotten' }, 'the operator decided on a key');
    },
    keys: (wanted) =>
      access.keys().flatMap(({ pubkey, verdict, reason }) => (verdict === wanted ? [{ pubkey, reason }] : [])),
    banEvent: (id, reason) => {
      access.banEvent(id, reason);
      store.remove(id);
      relay.applyAccess();
    },
    unbanEvent: (id) => {
      access.unbanEvent(id);
      relay.applyAccess();
    },
    bannedEvents: () => access.bannedEvents(),
    rename: (what, text) => access.setSetting(what, text),
    stats: () => ({
      ...engine.counts,
      databaseBytes: store.sizeBytes(),
      outboundBytes: relay.outboundBytes,
      upSec: Math.floor((Date.now() - metrics.startedAtMs) / 1_000),
      events: metrics.total('events_total'),
      delivered: metrics.total('delivered_total'),
      refused: metrics.total('refused_total'),
      dropped: metrics.total('dropped_total'),
    }),
  };
}
