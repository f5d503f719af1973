import type { Context } from '../context.ts';

/** The relay's data folder: the one named, else the one `heliograph relay` uses by itself. */
export function relayFolder(data: string | undefined, { places, path }: Context): string {
  return data === undefined ? places.relayData : path(data);
}
