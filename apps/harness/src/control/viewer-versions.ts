import { type Hello, versionGap, WIRE_VERSION } from '@heliograph/wire';
import type { Log } from '../log.ts';

/** Viewers whose versions were spoken of; more are not. */
const MAX_TOLD = 100;

/** Says in the log when a viewer and this harness are not of one version, once for each: which of the two to update. */
export class ViewerVersions {
  readonly #version: string;
  readonly #log: Log;
  readonly #told = new Set<string>();

  constructor({ version, log }: { readonly version: string; readonly log: Log }) {
    this.#version = version;
    this.#log = log;
  }

  /** Takes a viewer's hello; one that says no versions is of before they were said, and understood as ever. */
  greeted({ viewer, wire = WIRE_VERSION, version }: Hello): void {
    const gap = versionGap({ wire: WIRE_VERSION, version: this.#version }, { wire, version });
    const key = JSON.stringify([viewer, wire, version]);
    if (gap === undefined || this.#told.has(key) || this.#told.size >= MAX_TOLD) return;
    this.#told.add(key);
    const [ours, theirs] =
      gap.what === 'wire'
        ? [`wire ${WIRE_VERSION}`, `wire ${wire}`]
        : [`version ${this.#version}`, `version ${version}`];
    const mend = gap.older === 'ours' ? 'update Heliograph here' : 'update Heliograph there';
    this.#log.warn({ viewer }, `a viewer is of ${theirs}, this harness of ${ours}: ${mend}`);
  }
}
