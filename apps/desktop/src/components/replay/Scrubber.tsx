import { REPLAY_SPEEDS } from '@heliograph/transcript';
import { Pause, Play, SkipForward, StepBack, StepForward } from 'lucide-react';
import { formatExactClock, formatNumber } from '../../text/human.ts';
import type { ReplayMark } from '../../worker/reader-protocol.ts';
import type { Replay } from './use-replay.ts';

const MARKS: Readonly<Record<ReplayMark['kind'], string>> = {
  turn: 'bg-ink-3',
  question: 'bg-sun',
  failure: 'bg-bad',
};

/** All of a session from its first line to now: drag, step or play. Ticks are turns, questions and failures. */
export function Scrubber({ replay, onLive }: { readonly replay: Replay; readonly onLive: () => void }) {
  const { length, past, isPlaying } = replay;
  const position = past?.position ?? length;
  const time = past?.line === undefined ? undefined : formatExactClock(past.line.timestamp);
  // By the number it has in the lines.
  const where =
    past === undefined
      ? 'now'
      : past.line === undefined
        ? 'before the first line'
        : `line ${formatNumber(past.line.seq)}`;
  return (
    <fieldset className="scrubber" data-testid="scrubber" data-position={position} data-length={length}>
      <legend className="sr-only">Time travel</legend>
      <div className="scrubber-track">
        {replay.marks.map(({ position: at, kind }) => (
          <span
            key={`${kind}${at}`}
            className={`scrubber-mark ${MARKS[kind]}`}
            style={{ left: `${length === 0 ? 0 : (at / length) * 100}%` }}
            aria-hidden="true"
          />
        ))}
        <input
          type="range"
          min={0}
          max={length}
          step={1}
          value={Math.min(position, length)}
          aria-label="Place in the session"
          aria-valuetext={time === undefined ? where : `${where}, ${time}`}
          data-testid="scrubber-slider"
          onChange={(event) => replay.seek(Number(event.target.value))}
        />
      </div>
      <div className="scrubber-row">
        <button
          type="button"
          className="tab"
          aria-label="One line back"
          title="One line back ([)"
          data-testid="scrubber-back"
          disabled={position <= 0}
          onClick={() => replay.step(-1)}
        >
          <StepBack size={15} strokeWidth={1.6} />
        </button>
        <button
          type="button"
          className="tab"
          aria-label={isPlaying ? 'Pause' : 'Play'}
          title={isPlaying ? 'Pause (p)' : 'Play (p)'}
          data-testid="scrubber-play"
          disabled={length === 0}
          onClick={replay.togglePlay}
        >
          {isPlaying ? <Pause size={15} strokeWidth={1.6} /> : <Play size={15} strokeWidth={1.6} />}
        </button>
        <button
          type="button"
          className="tab"
          aria-label="One line on"
          title="One line on (])"
          data-testid="scrubber-on"
          disabled={position >= length}
          onClick={() => replay.step(1)}
        >
          <StepForward size={15} strokeWidth={1.6} />
        </button>
        <select
          className="picker"
          aria-label="Speed"
          data-testid="scrubber-speed"
          value={replay.speed}
          onChange={(event) => replay.setSpeed(Number(event.target.value))}
        >
          {REPLAY_SPEEDS.map((speed) => (
            <option key={speed} value={speed}>
              {speed}×
            </option>
          ))}
        </select>
        <span className="min-w-0 truncate text-s text-ink-2 tabular-nums" data-testid="scrubber-where">
          {where}
          {time !== undefined && ` · ${time}`}
        </span>
        <button
          type="button"
          className="tab ml-auto"
          data-testid="scrubber-live"
          disabled={past === undefined}
          onClick={onLive}
        >
          <SkipForward size={14} strokeWidth={1.6} aria-hidden="true" />
          Now
        </button>
      </div>
    </fieldset>
  );
}
