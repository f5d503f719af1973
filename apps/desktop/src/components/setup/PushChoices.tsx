import { useRef, useState, useSyncExternalStore } from 'react';
import { usePageDevice } from '../../installed/page-device.ts';
import type { PushLink } from '../../installed/push-link.ts';
import { readNotifySettings, wantsPush, writeWantsPush } from '../../notify-settings.ts';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { OrderNote } from '../session/OrderNote.tsx';
import { useDesktop, useDesktopState } from '../use-desktop.ts';

/** Calls while no page is open: by Web Push, which each agent's machine sends itself. */
export function PushChoices() {
  const device = usePageDevice();
  // Over plain http browsers have none; the note below says so.
  if (device === undefined || !globalThis.isSecureContext) return null;
  return (
    <section className="stack gap-1.5" data-testid="push">
      <h3 className="font-medium">When this page is closed</h3>
      {device.push === undefined ? (
        <p className="text-s text-ink-2" data-testid="push-none">
          {device.install.state === 'by-hand'
            ? 'This device calls only for pages on its home screen: put this one there (share menu, “Add to Home Screen”) and open it from there.'
            : 'This browser has no Web Push: it calls you only while a page is open.'}
        </p>
      ) : (
        <Push link={device.push} askLeave={device.askLeave} />
      )}
    </section>
  );
}

function Push({ link, askLeave }: { readonly link: PushLink; readonly askLeave: () => Promise<boolean> }) {
  const agents = useDesktopState((state) => state.agents);
  const [isWanted, setWanted] = useState(wantsPush);
  const [isRefused, setRefused] = useState(false);
  const lastChosen = useRef(isWanted);
  const choose = async (next: boolean) => {
    // The box shows at once what was chosen: the browser's own question can take as long as the person does.
    lastChosen.current = next;
    setWanted(next);
    const isAllowed = !next || (await askLeave());
    if (lastChosen.current !== next) return;
    setRefused(!isAllowed);
    if (!isAllowed) return setWanted(false);
    writeWantsPush(next);
    await link.changed(true);
  };
  const { on, agents: own } = readNotifySettings();
  const isNothingChosen = on.length === 0 && Object.values(own).every((reasons) => reasons.length === 0);
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={isWanted}
          data-testid="push-wanted"
          onChange={(event) => void choose(event.target.checked)}
        />
        Call this device by Web Push
      </label>
      <p className="text-s text-ink-3">
        For what is chosen above. Each agent’s machine then tells your browser’s push service, outside your relays, that
        it calls you: which agent and why, encrypted, nothing it said. A machine that is off can’t call.
      </p>
      {isRefused && (
        <p className="text-s text-bad" role="alert" data-testid="push-refused">
          This browser was told not to show notifications of this page: allow them in its own settings.
        </p>
      )}
      {isWanted && isNothingChosen && (
        <p className="text-s text-ink-2" role="status" data-testid="push-nothing">
          Nothing is chosen above yet, so nothing calls.
        </p>
      )}
      <ul className="stack gap-2">
        {agents
          .filter(({ revoked, snapshot }) => !revoked && (isWanted || (snapshot?.push?.devices.length ?? 0) > 0))
          .map((agent) => (
            <PushAgent key={agent.publicKey} agent={agent} link={link} isWanted={isWanted} />
          ))}
      </ul>
    </>
  );
}

function PushAgent(props: { readonly agent: AgentRecord; readonly link: PushLink; readonly isWanted: boolean }) {
  const { agent, link, isWanted } = props;
  const { publicKey, name, presence, snapshot } = agent;
  const desktop = useDesktop();
  const own = useDesktopState((state) => (state.session.phase === 'ready' ? state.session.device : undefined));
  const state = useSyncExternalStore(
    (listener) => link.subscribe(listener),
    () => link.phase(publicKey),
  );
  const isLive = presence?.harness === 'live';
  const devices = snapshot?.push?.devices ?? [];
  const others = devices.filter(({ device }) => device !== own);
  const words = !isLive
    ? `Its machine does not answer now${devices.length > 0 ? '; what it was told holds' : ''}.`
    : snapshot !== undefined && snapshot.push === undefined
      ? 'Its harness is older and can’t call: update Heliograph there.'
      : state.phase === 'failed'
        ? state.message
        : { off: 'Does not call this device.', working: 'Being told to call this device.', on: 'Calls this device.' }[
            state.phase
          ];
  return (
    <li className="stack gap-1" data-testid="push-agent" data-agent={publicKey} data-phase={state.phase}>
      <div className="flex flex-wrap items-center gap-x-3">
        <span className="min-w-0 flex-1">
          <b>
            <VisibleText text={name} max={64} />
          </b>{' '}
          <span className={state.phase === 'failed' && isLive ? 'text-bad' : 'text-ink-2'} role="status">
            <VisibleText text={words} max={400} />
          </span>
        </span>
        {isWanted && isLive && state.phase === 'on' && (
          <button
            type="button"
            className="link"
            data-testid="push-test"
            onClick={() => desktop.control(publicKey, { type: 'push_test' })}
          >
            Call me now
          </button>
        )}
      </div>
      {state.phase === 'working' && <OrderNote agent={publicKey} type="push_subscribe" done="Told" />}
      {state.phase === 'on' && <OrderNote agent={publicKey} type="push_test" done="The push service took the call" />}
      {others.map(({ device, service, failing }) => (
        <div key={device} className="flex flex-wrap items-center gap-x-3 text-s text-ink-2" data-testid="push-device">
          <span className="min-w-0 flex-1 wrap-anywhere">
            <VisibleText text={device} max={128} /> · <VisibleText text={service} max={80} />
            {failing !== undefined && (
              <span className="text-bad">
                {' '}
                · <VisibleText text={failing} max={200} />
              </span>
            )}
          </span>
          {isLive && (
            <button
              type="button"
              className="link text-ink-2"
              data-testid="push-remove"
              onClick={() => desktop.control(publicKey, { type: 'push_subscribe', subscription: null, device })}
            >
              Remove
            </button>
          )}
        </div>
      ))}
    </li>
  );
}
