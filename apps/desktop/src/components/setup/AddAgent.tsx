import { Download } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { fileNameOf } from '../../text/file-name.ts';
import { isLoopbackUrl } from '../../text/loopback-url.ts';
import { Command } from '../parts/Command.tsx';
import { CopyButton } from '../parts/CopyButton.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { saveFile } from '../parts/save-file.ts';
import { useDesktop, useDesktopState } from '../use-desktop.ts';
import { relayUrls } from './relay-field.ts';

/** Vouches for a new agent: a name, one invite, one command for the machine where it lives. */
export function AddAgent(props: { readonly onClose: () => void }) {
  const session = useDesktopState((state) => state.session);
  const [made, setMade] = useState<{ readonly name: string; readonly fileName: string }>();
  // The invite is a secret: it is held outside of what is drawn, and leaves as a file or through the clipboard.
  const invite = useRef('');
  if (session.phase !== 'ready') return null;
  return (
    <Dialog
      title={made === undefined ? 'Add an agent' : `Invite for ${made.name}`}
      onClose={props.onClose}
      testId="add-agent-dialog"
    >
      {made === undefined ? (
        <Ask
          relays={session.relays}
          onMade={(name, text) => {
            invite.current = text;
            setMade({ name, fileName: `${fileNameOf(name, 'agent')}.invite` });
          }}
        />
      ) : (
        <Hand fileName={made.fileName} invite={() => invite.current} onClose={props.onClose} />
      )}
    </Dialog>
  );
}

function Ask(props: { readonly relays: readonly string[]; readonly onMade: (name: string, invite: string) => void }) {
  const desktop = useDesktop();
  const [name, setName] = useState('');
  const [relays, setRelays] = useState(props.relays.join(' '));
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const urls = relayUrls(relays);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const trimmed = name.trim();
    if (trimmed === '') return setProblem('Give it a name: it is how you will know it in the list.');
    setBusy(true);
    const result = await desktop.invite(trimmed, urls);
    setBusy(false);
    if (result.ok) props.onMade(trimmed, result.value.text);
    else setProblem(result.error.message);
  };
  return (
    <form className="stack gap-4 px-5 pt-2 pb-5" onSubmit={(event) => void submit(event)}>
      <p className="text-ink-2">
        You get one invite, good for one machine. It holds a fresh key for the agent, your word for it, and where to
        report.
      </p>
      <label className="stack gap-1">
        <span className="font-medium">Name</span>
        <input
          className="field"
          value={name}
          maxLength={64}
          placeholder="Claude on build-box"
          data-testid="agent-name"
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <label className="stack gap-1">
        <span className="font-medium">Relays</span>
        <input
          className="field font-mono"
          value={relays}
          placeholder="ws://HOST:7447"
          data-testid="agent-relays"
          onChange={(event) => setRelays(event.target.value)}
        />
        <span className="text-s text-ink-3">As the agent’s machine reaches them, not as this one does.</span>
        {urls.filter(isLoopbackUrl).map((url) => (
          <span key={url} className="text-s text-bad" role="status" data-testid="loopback-relay">
            {url}: only agents on this machine can reach it.
          </span>
        ))}
      </label>
      {problem !== undefined && (
        <p className="text-bad" role="alert">
          {problem}
        </p>
      )}
      <button
        type="submit"
        className="btn go justify-self-end max-md:w-full"
        disabled={isBusy}
        data-testid="make-invite"
      >
        {isBusy ? 'Making the invite' : 'Make the invite'}
      </button>
    </form>
  );
}

function Hand(props: { readonly fileName: string; readonly invite: () => string; readonly onClose: () => void }) {
  const command = `heliograph agent --invite @${props.fileName} -- claude-agent-acp`;
  return (
    <div className="stack gap-4 px-5 pt-2 pb-5">
      <ol className="stack gap-4">
        <li className="stack gap-1.5">
          <p className="font-medium">1. Bring the invite to the machine where the agent lives</p>
          <div className="flex flex-wrap gap-2 max-md:grid">
            <button
              type="button"
              className="btn go"
              data-testid="download-invite"
              onClick={() => saveFile(props.fileName, new Blob([props.invite()], { type: 'text/plain;charset=utf-8' }))}
            >
              <Download size={14} strokeWidth={1.6} aria-hidden="true" />
              Save {props.fileName}
            </button>
            <CopyButton className="btn" text={props.invite} label="Copy the invite" testId="copy-invite">
              Copy it
            </CopyButton>
          </div>
          <p className="text-s text-ink-3">
            It is a secret, like a password: whoever has it can report as this agent. It is not shown here.
          </p>
        </li>
        <li className="stack gap-1.5">
          <p className="font-medium">2. Run this there, in the folder the agent shall work in</p>
          <Command text={command} label="Copy the command" testId="agent-command" />
          <p className="text-s text-ink-3">
            After <code>--</code> stands any ACP agent. If you copied the invite instead, use <code>--invite -</code>{' '}
            and paste it.
          </p>
        </li>
      </ol>
      <button type="button" className="btn justify-self-end max-md:w-full" onClick={props.onClose}>
        Done
      </button>
    </div>
  );
}
