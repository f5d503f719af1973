import { Download } from 'lucide-react';
import { useState } from 'react';
import type { RawSelection } from '../../export/raw-files.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { saveFile } from '../parts/save-file.ts';
import { usePopover } from '../parts/use-popover.ts';
import { useDesktop } from '../use-desktop.ts';

const CHOICES: readonly (readonly [RawSelection, string])[] = [
  ['read', 'What the agent wrote'],
  ['write', 'What was written to it'],
  ['all', 'Both, in order'],
];

/** Saves a session's lines, byte for byte. */
export function DownloadLines(props: { readonly run: string | undefined; readonly session: SessionRef }) {
  const { run, session } = props;
  const { reader } = useDesktop();
  const { isOpen, setOpen, place, button, panelId } = usePopover();

  const [problem, setProblem] = useState<string>();

  const save = (selection: RawSelection) => {
    const asked = reader.ask({ type: 'save-lines', session, run, selection }, (answer) => {
      if (answer.type === 'saved') {
        saveFile(answer.name, answer.file);
        setOpen(false);
      }
      setProblem(answer.type === 'not-saved' ? answer.message : undefined);
      asked.stop();
    });
  };
  return (
    <div className="relative" {...place}>
      <button
        type="button"
        className="tab"
        {...button}
        aria-label="Save the lines"
        title="Save the lines"
        data-testid="raw-download"
      >
        <Download size={15} strokeWidth={1.5} />
      </button>
      {isOpen && (
        <div id={panelId} className="popover top-full right-0 mt-1 grid w-60 p-1.5">
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
          {problem !== undefined && (
            <p role="alert" className="px-2.5 pt-1 text-s">
              {problem}
            </p>
          )}
          <p className="px-2.5 pt-1 pb-1.5 text-s text-ink-3">Each line as it was on the wire, with its line end.</p>
        </div>
      )}
    </div>
  );
}
