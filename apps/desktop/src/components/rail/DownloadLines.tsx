import { Download } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { type RawSelection, rawFileParts } from '../../store/raw-files.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { saveFile } from '../parts/save-file.ts';

const CHOICES: readonly (readonly [RawSelection, string])[] = [
  ['read', 'What the agent wrote'],
  ['write', 'What was written to it'],
  ['all', 'Both, in order'],
];

/** Saves a session's lines, byte for byte. */
export function DownloadLines(props: { readonly agent: AgentRecord; readonly session: SessionRef }) {
  const { agent, session } = props;
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const onOutside = useEffectEvent((event: Event) => {
    const isEscape = event instanceof KeyboardEvent && event.key === 'Escape';
    if (!isEscape && (event.type === 'keydown' || place.current?.contains(event.target as Node))) return;
    event.preventDefault();
    setOpen(false);
  });
  useEffect(() => {
    if (!isOpen) return undefined;
    document.addEventListener('pointerdown', onOutside);
    document.addEventListener('keydown', onOutside, true);
    return () => {
      document.removeEventListener('pointerdown', onOutside);
      document.removeEventListener('keydown', onOutside, true);
    };
  }, [isOpen]);

  const save = (selection: RawSelection) => {
    const { streams } = agent.fold.transcript(session.channelId);
    const run = agent.presence?.run ?? agent.fold.agent().run;
    const name = `${(session.channelId ?? 'harness').slice(0, 8)}.${selection}.ndjson`;
    saveFile(name, rawFileParts(agent.fold.log, streams, run, selection), 'application/x-ndjson');
    setOpen(false);
  };
  return (
    <div ref={place} className="relative" data-popover-open={isOpen ? '' : undefined}>
      <button
        type="button"
        className="tab"
        aria-expanded={isOpen}
        aria-label="Save the lines"
        title="Save the lines"
        data-testid="raw-download"
        onClick={() => setOpen(!isOpen)}
      >
        <Download size={15} strokeWidth={1.5} />
      </button>
      {isOpen && (
        <div className="absolute top-9 right-0 z-20 grid w-60 rounded-[10px] border border-line bg-raised p-1.5 shadow-lg">
          {CHOICES.map(([selection, words]) => (
            <button
              key={selection}
              type="button"
              className="tab justify-start"
              data-testid={`raw-download-${selection}`}
              onClick={() => save(selection)}
            >
              {words}
            </button>
          ))}
          <p className="px-2.5 pt-1 pb-1.5 text-s text-ink-3">Each line as it was on the wire, with its line end.</p>
        </div>
      )}
    </div>
  );
}
