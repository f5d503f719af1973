import type { KnownAgent } from '@heliograph/client';
import type { ConnectedSigner } from './signer-gate.ts';

/** What this browser keeps of an owner beside the key, to connect again. */
export interface KeptOwner {
  readonly relays: readonly string[];
  /** Named, invited and revoked ones; others introduce themselves. */
  readonly agents: readonly KnownAgent[];
  /** This device among the owner's viewers. */
  readonly viewerId: string;
}

/** The owner's key as this browser keeps it: encrypted (NIP-49). */
export interface DeviceKey extends KeptOwner {
  readonly ncryptsec: string;
}

/** An owner whose key is elsewhere. */
export interface SignerOwner extends KeptOwner {
  readonly connection: ConnectedSigner;
}

/** Where a device key is kept; handed in, so that tests need no browser. */
export interface DeviceKeyStore {
  read(): Promise<DeviceKey | SignerOwner | undefined>;
  write(key: DeviceKey | SignerOwner): Promise<void>;
  remove(): Promise<void>;
}

const DATABASE = 'heliograph';
const STORE = 'keys';
const ENTRY = 'owner';

/** The store in this origin's IndexedDB. */
export function indexedDbKeyStore(factory: IDBFactory): DeviceKeyStore {
  const within = async <T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> => {
    const opening = factory.open(DATABASE, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    const database = await settled(opening);
    try {
      return await settled(act(database.transaction(STORE, mode).objectStore(STORE)));
    } finally {
      database.close();
    }
  };
  return {
    read: async () => {
      const kept = await within<DeviceKey | SignerOwner | undefined>('readonly', (store) => store.get(ENTRY));
      // Earlier versions kept no agents.
      return kept === undefined ? undefined : { ...kept, agents: kept.agents ?? [] };
    },
    write: async (key) => void (await within('readwrite', (store) => store.put(key, ENTRY))),
    remove: async () => void (await within('readwrite', (store) => store.delete(ENTRY))),
  };
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB failed'));
  });
}
