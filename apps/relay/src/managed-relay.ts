import type { RelayEngine, RelayStore } from '@heliograph/relay';
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
  tellOthers,
}: {
  readonly store: RelayStore;
  readonly relay: RelayHost;
  readonly engine: RelayEngine;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly owners: () => ReadonlySet<string>;
  /** Has other relays read what was decided. */
  readonly tellOthers: () => void;
}): ManagedRelay {
  const { access } = store;
  const enforce = async (): Promise<void> => {
    await relay.applyAccess();
    tellOthers();
  };
  return {
    owners,
    setKey: async (pubkey, verdict, reason) => {
      await access.setKey(pubkey, verdict, reason);
      await enforce();
      log.info({ key: encodeNpub(pubkey), verdict: verdict ?? 'forgotten' }, 'the operator decided on a key');
    },
    keys: async (wanted) =>
      (await access.keys()).flatMap(({ pubkey, verdict, reason }) => (verdict === wanted ? [{ pubkey, reason }] : [])),
    banEvent: async (id, reason) => {
      await access.banEvent(id, reason);
      await store.remove(id);
      await enforce();
    },
    unbanEvent: async (id) => {
      await access.unbanEvent(id);
      await enforce();
    },
    bannedEvents: async () => access.bannedEvents(),
    rename: async (what, text) => {
      await access.setSetting(what, text);
      await enforce();
    },
    stats: async () => ({
      ...engine.counts,
      databaseBytes: await store.sizeBytes(),
      outboundBytes: relay.outboundBytes,
      upSec: Math.floor((Date.now() - metrics.startedAtMs) / 1_000),
      events: metrics.total('events_total'),
      delivered: metrics.total('delivered_total'),
      refused: metrics.total('refused_total'),
      dropped: metrics.total('dropped_total'),
    }),
  };
}
