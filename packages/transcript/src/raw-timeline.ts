import type { EventLog } from './event-log.ts';
import { type RawLines, selectRawLines } from './raw-lines.ts';

interface Place {
  readonly lane: number;
  readonly index: number;
  readonly timestamp: string;
}

/**
 * The lines of several streams in the order of the wire: what belongs to a channel and what belongs to none (initialize,
 * noise) side by side, as they went by. It grows with the log; a line that comes late costs one merge anew.
 */
export function selectRawTimeline(log: EventLog, streams: readonly string[]): RawLines {
  const lanes = streams.map((stream) => selectRawLines(log, [stream]));
  // From the log and not from the lines: a line is read only when somebody looks at it.
  const timeOf = (lane: number, index: number) => log.stream(streams[lane] as string)?.lineTime(index) ?? '';
  let places: Place[] = [];
  let counts = lanes.map(() => 0);
  let lastStamps = lanes.map(() => '');
  let moves = 0;

  /** The new lines, in order; undefined when something else than an append happened. */
  function appended(): Place[] | undefined {
    const fresh: Place[] = [];
    for (const [lane, lines] of lanes.entries()) {
      const from = counts[lane] as number;
      if (lines.length < from) return undefined;
      // The line that was the last is the last no more when one came in before it.
      if (from > 0 && timeOf(lane, from - 1) !== lastStamps[lane]) return undefined;
      for (let index = from; index < lines.length; index++) {
        fresh.push({ lane, index, timestamp: timeOf(lane, index) });
      }
    }
    fresh.sort(byTime);
    const first = fresh[0];
    const last = places.at(-1);
    return first !== undefined && last !== undefined && byTime(last, first) > 0 ? undefined : fresh;
  }

  function sync(): void {
    const moved = streams.reduce((sum, stream) => sum + (log.stream(stream)?.moves ?? 0), 0);
    if (moved === moves && lanes.every((lines, lane) => lines.length === counts[lane])) return;
    const fresh = moved === moves ? appended() : undefined;
    moves = moved;
    if (fresh !== undefined) for (const place of fresh) places.push(place);
    else {
      places = [];
      counts = lanes.map(() => 0);
      places = appended() ?? [];
    }
    counts = lanes.map((lines) => lines.length);
    lastStamps = lanes.map((lines, lane) => timeOf(lane, lines.length - 1));
  }

  return {
    get length() {
      sync();
      return places.length;
    },
    at(index) {
      sync();
      const place = places[index];
      return place === undefined ? undefined : lanes[place.lane]?.at(place.index);
    },
    awayAt(index) {
      sync();
      const place = places[index];
      return place === undefined ? undefined : lanes[place.lane]?.awayAt(place.index);
    },
    indexOf(stream, seq) {
      sync();
      const lane = streams.indexOf(stream);
      const index = lanes[lane]?.indexOf(stream, seq) ?? -1;
      if (index < 0) return -1;
      const wanted = { lane, index, timestamp: timeOf(lane, index) };
      let [low, high] = [0, places.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (byTime(places[middle] as Place, wanted) < 0) low = middle + 1;
        else high = middle;
      }
      const found = places[low];
      // Where a clock went back inside a stream, times lead nowhere.
      const isThere = found !== undefined && byTime(found, wanted) === 0;
      return isThere ? low : places.findIndex((place) => place.lane === lane && place.index === index);
    },
  };
}

function byTime(a: Place, b: Place): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1;
  return a.lane - b.lane || a.index - b.index;
}
