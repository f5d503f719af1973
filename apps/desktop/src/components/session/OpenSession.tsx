import { type FormEvent, useEffect, useState } from 'react';
import { describeProgress } from '../../store/control-entry.ts';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { selectEarlierSessions } from '../../store/earlier-sessions.ts';
import { toPlainLine } from '../../text/visible-text.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { useDesktop, useDesktopState } from '../use-desktop.ts';

/** Opens a session beside those that are there: a new one in a folder, or one the agent knows from before. */
export function OpenSession(props: {
  readonly agent: AgentRecord;
  readonly how: 'new' | 'load';
  /** The folder it begins with. */
  readonly cwd: string | undefined;
  readonly onClose: () => void;
}) {
  const { agent, how, onClose } = props;
  const desktop = useDesktop();
  const [cwd, setCwd] = useState(props.cwd ?? '');
  const [sessionId, setSessionId] = useState('');
  const [channelId] = useState(desktop.newId);
  const order = useDesktopState((state) =>
    state.controls.findLast(({ draft }) => 'channelId' in draft && draft.channelId === channelId),
  );
  const isDone = order?.phase === 'done';
  useEffect(() => {
    if (!isDone) return;
    desktop.select({ agent: agent.publicKey, channelId });
    onClose();
  }, [isDone, agent.publicKey, channelId, desktop, onClose]);
  const earlier = how === 'load' ? selectEarlierSessions(agent) : [];
  const isBusy = order !== undefined && order.phase !== 'failed';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const where = cwd.trim() === '' ? {} : { cwd: cwd.trim() };
    if (how === 'new') desktop.control(agent.publicKey, { type: 'new_session', channelId, ...where });
    else desktop.control(agent.publicKey, { type: 'load_session', channelId, sessionId: sessionId.trim(), ...where });
  };
  const name = toPlainLine(agent.name, 60);
  return (
    <Dialog
      title={how === 'new' ? `New session with ${name}` : `Open an earlier session of ${name}`}
      testId="open-session"
      onClose={onClose}
    >
      <form className="stack gap-4 px-5 pt-2 pb-5" onSubmit={submit}>
        {how === 'load' && (
          <label className="stack gap-1">
            <span className="font-medium">Session</span>
            <input
              className="field font-mono"
              value={sessionId}
              list="earlier-sessions"
              placeholder="The agent’s own id of it"
              data-testid="session-id"
              onChange={(event) => setSessionId(event.target.value)}
            />
            <datalist id="earlier-sessions">
              {earlier.map(({ sessionId: id, title }) => (
                <option key={id} value={id}>
                  {toPlainLine(title, 80)}
                </option>
              ))}
            </datalist>
          </label>
        )}
        <label className="stack gap-1">
          <span className="font-medium">Folder</span>
          <input
            className="field font-mono"
            value={cwd}
            placeholder="Where its harness was started"
            data-testid="session-cwd"
            onChange={(event) => setCwd(event.target.value)}
          />
          <span className="text-s text-ink-3">A whole path on the agent’s machine.</span>
        </label>
        {order !== undefined && (
          <p
            className={order.phase === 'failed' ? 'text-bad wrap-anywhere' : 'text-ink-2'}
            role="status"
            data-testid="open-session-state"
          >
            {describeProgress(order)}
          </p>
        )}
        <button
          type="submit"
          className="btn go justify-self-end max-md:w-full"
          disabled={isBusy || (how === 'load' && sessionId.trim() === '')}
          data-testid="open-session-go"
        >
          {how === 'new' ? 'Begin' : 'Open'}
        </button>
      </form>
    </Dialog>
  );
}
