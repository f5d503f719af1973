import type { ControlResult } from '@heliograph/wire';
import type { KnownControl } from '../../src/control/control-ledger.ts';

/** The ledger without a disk: what it notes, in order. */
export class LedgerInMemory {
  readonly notes: string[] = [];
  readonly controls = new Map<string, KnownControl>();
  failsToBegin = false;
  known(id: string) {
    return this.controls.get(id);
  }
  async begin(id: string) {
    if (this.failsToBegin) throw new Error('ENOSPC');
    this.notes.push(`begin ${id}`);
    this.controls.set(id, { phase: 'underway' });
  }
  async finish(id: string, result: ControlResult) {
    this.notes.push(`finish ${id} ${result.status}`);
    this.controls.set(id, { phase: 'answered', result });
  }
}
