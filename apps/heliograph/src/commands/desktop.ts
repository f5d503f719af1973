import { type Context, openOwnerKey } from '../context.ts';
import { live } from '../life.ts';
import type { Address } from '../listening.ts';
import { openDesktop } from '../open-desktop.ts';

export interface DesktopOptions extends Address {
  readonly ownerKey?: string;
  readonly relay?: readonly string[];
  readonly window: boolean;
}

/** `heliograph desktop`: serves the owner's desktop on this machine and opens its window. */
export async function desktop(options: DesktopOptions, context: Context): Promise<number> {
  const { host, port, relay: relays = [], window } = options;
  const owner = await openOwnerKey(options.ownerKey, context);
  return live(context.log, (life) =>
    openDesktop({ address: { host, port }, owner, relays, agents: [], window }, life, context),
  );
}
