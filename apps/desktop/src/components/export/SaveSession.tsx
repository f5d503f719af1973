import { err, ok, type Result } from '@heliograph/wire';
import { useEffect, useRef, useState } from 'react';
import { SAVE_FORMATS, type SaveFormat } from '../../export/save-formats.ts';
import type { SavedFile } from '../../export/save-session.ts';
import type { FoundSecret } from '../../export/session-secrets.ts';
import type { AgentRecord } from '../../store/desktop-store.ts';
import type { Asked } from '../../store/reader.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { formatClock, plural } from '../../text/human.ts';
import type { FoundSecrets } from '../../worker/reader-protocol.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { saveFile } from '../parts/save-file.ts';
import { useDesktop } from '../use-desktop.ts';

const FORMATS: Readonly<Record<SaveFormat, readonly [name: string, words: string]>> = {
  markdown: ['Text', 'Markdown, to read and to paste'],
  html: ['Replay', 'one HTML file that plays it back, without a network'],
  jsonl: ['Lines', 'JSONL, every line as it went by, for programs'],
};

/** Saves a session after a look at what leaves with it: what has the shape of a secret is replaced, unless it is kept on purpose. */
export function SaveSession(props: {
  readonly agent: AgentRecord;
  readonly session: SessionRef;
  readonly format: SaveFormat;
  readonly onClose: () => void;
}) {
  const { agent, session } = props;
  const [format, setFormat] = useState(props.format);
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const [problem, setProblem] = useState<string>();
  const scan = useScan(agent, session);
  const { listed = [], unlisted = 0 } = scan.found ?? {};
  const save = async () => {
    const saved = await scan.save(format, [...kept], agent.name);
    if (!saved.ok) return setProblem(saved.error.message);
    saveFile(saved.value.name, saved.value.file);
    props.onClose();
  };
  const keep = (secret: string, isKept: boolean) => {
    const next = new Set(kept);
    if (isKept) next.add(secret);
    else next.delete(secret);
    setKept(next);
  };
  return (
    <Dialog title="Save the session" testId="save-dialog" onClose={props.onClose}>
      <div className="stack gap-5 px-5 pt-2 pb-5">
        <fieldset className="stack gap-1">
          <legend className="mb-1.5 font-medium">As</legend>
          {SAVE_FORMATS.map((name) => (
            <label key={name} className="check">
              <input
                type="radio"
                name="format"
                checked={format === name}
                data-testid={`save-as-${name}`}
                onChange={() => setFormat(name)}
              />
              <span>
                {FORMATS[name][0]} <span className="text-ink-3">· {FORMATS[name][1]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <section aria-labelledby="save-secrets">
          <h3 id="save-secrets" className="mb-1 font-medium">
            What looks like a secret
          </h3>
          <p className="text-s text-ink-2" role="status" data-testid="save-found">
            {scan.found === undefined
              ? `Looking through it: ${Math.floor(scan.progress * 100)} %`
              : listed.length === 0
                ? 'Nothing of a known shape.'
                : `${plural(listed.length, 'secret')}, replaced where ticked.`}
          </p>
          {listed.length > 0 && (
            <ul className="mt-2 stack" data-testid="save-secrets">
              {listed.map((secret) => (
                <SecretRow
                  key={secret.secret}
                  found={secret}
                  isKept={kept.has(secret.secret)}
                  onKeep={(isKept) => keep(secret.secret, isKept)}
                />
              ))}
            </ul>
          )}
          {unlisted > 0 && (
            <p className="mt-1 text-s text-ink-2">
              {plural(unlisted, 'more is', 'more are')} replaced without a line here.
            </p>
          )}
          <p className="mt-2 text-s text-ink-3">
            Only known shapes are found: read the file before you hand it on. By itself it proves nothing.
          </p>
        </section>
        {problem !== undefined && (
          <p className="text-s text-bad" role="alert">
            It could not be saved: <VisibleText text={problem} max={400} />. Load the page again and try once more.
          </p>
        )}
        <button
          type="button"
          className="btn go justify-self-end max-md:w-full"
          disabled={scan.found === undefined}
          data-testid="save-go"
          onClick={() => void save()}
        >
          Save
        </button>
      </div>
    </Dialog>
  );
}

function SecretRow(props: {
  readonly found: FoundSecret;
  readonly isKept: boolean;
  readonly onKeep: (isKept: boolean) => void;
}) {
  const { kind, secret, places, count } = props.found;
  const now = useDesktop().nowMs();
  const more = count - places.length;
  return (
    <li className="border-t border-line py-1.5" data-testid="save-secret" data-kind={kind}>
      <label className="check">
        <input type="checkbox" checked={!props.isKept} onChange={(event) => props.onKeep(!event.target.checked)} />
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-baseline gap-x-2">
            <span>{kind.replaceAll('-', ' ')}</span>
            <code className="text-code text-ink-2">
              <VisibleText text={masked(secret)} max={40} />
            </code>
            {props.isKept && <span className="text-s text-bad">stays in the file</span>}
          </span>
          <span className="block text-s text-ink-3">
            {places.map(({ at, words }) => `${words} at ${formatClock(at, now)}`).join(' · ')}
            {more > 0 && ` · ${more} more`}
          </span>
        </span>
      </label>
    </li>
  );
}

/** Enough to know it by: its ends, and how long it is. */
function masked(secret: string): string {
  const shown = Math.min(6, Math.floor(secret.length / 5));
  return `${secret.slice(0, shown)}…${secret.slice(secret.length - Math.min(2, shown))} (${secret.length})`;
}

type Saved = Result<SavedFile, { readonly message: string }>;

interface Scan {
  readonly progress: number;
  /** Undefined: it is still looked through. */
  readonly found: FoundSecrets | undefined;
  readonly save: (as: SaveFormat, kept: readonly string[], agentName: string) => Promise<Saved>;
}

/** Has the session looked through; what is saved is what was looked through: what comes later is not in it. */
function useScan(agent: AgentRecord, session: SessionRef): Scan {
  const { reader } = useDesktop();
  const [target] = useState({ session, run: agent.presence?.run });
  const asked = useRef<Asked>(undefined);
  const saving = useRef<(saved: Saved) => void>(undefined);
  const [state, setState] = useState<Pick<Scan, 'progress' | 'found'>>({ progress: 0, found: undefined });
  useEffect(() => {
    asked.current = reader.ask({ type: 'scan', ...target }, (answer) => {
      if (answer.type === 'scanned') setState(answer);
      if (answer.type === 'saved') saving.current?.(ok(answer));
      if (answer.type === 'not-saved') saving.current?.(err(answer));
    });
    return asked.current.stop;
  }, [reader, target]);
  return {
    ...state,
    save: (as, kept, agentName) =>
      new Promise((resolve) => {
        saving.current = resolve;
        asked.current?.send({ type: 'save', as, kept, agentName });
      }),
  };
}
