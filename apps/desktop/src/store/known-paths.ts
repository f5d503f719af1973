import type { Transcript } from '@heliograph/transcript';

const MAX_PATHS = 500;
const known = new WeakMap<Transcript, readonly string[]>();

/** Files the session's tool calls named, the newest first, relative to its folder where they lie in it. */
export function selectKnownPaths(transcript: Transcript): readonly string[] {
  let paths = known.get(transcript);
  if (paths === undefined) {
    paths = [...collect(transcript)];
    known.set(transcript, paths);
  }
  return paths;
}

function collect({ turns, session }: Transcript): ReadonlySet<string> {
  const found = new Set<string>();
  const inside = session.cwd === undefined ? undefined : `${session.cwd}/`;
  for (const turn of turns.toReversed()) {
    for (const item of turn.items.toReversed()) {
      if (item.kind !== 'tool') continue;
      for (const { path } of item.locations) {
        found.add(inside !== undefined && path.startsWith(inside) ? path.slice(inside.length) : path);
        if (found.size >= MAX_PATHS) return found;
      }
    }
  }
  return found;
}
