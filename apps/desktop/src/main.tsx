import './styles/index.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './components/App.tsx';
import { DesktopProvider } from './components/use-desktop.ts';
import { askExtension } from './extension-signer.ts';
import { DeviceProvider, openPageDevice } from './installed/page-device.ts';
import { keepLinkToken, onNewLink, takeLink } from './link-token.ts';
import { applyLook, readLook } from './look.ts';
import { readMoveLink } from './move-link.ts';
import { onFrame } from './on-frame.ts';
import { onReturn } from './on-return.ts';
import { randomUuid } from './random-uuid.ts';
import { createDesktop } from './store/desktop.ts';
import { startWorker } from './trusted-scripts.ts';
import type { WorkerToPage } from './worker/protocol.ts';

const { token, call } = takeLink();
applyLook(readLook());

const worker = startWorker();
const desktop = createDesktop({
  post: (message) => worker.postMessage(message),
  nowMs: () => Date.now(),
  onFrame,
  keepToken: keepLinkToken,
  uuid: () => randomUuid({ randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)) }),
});
worker.onmessage = ({ data }: MessageEvent<WorkerToPage>) => {
  if (data.type !== 'signer-ask') return desktop.receive(data);
  const { id, method, params } = data;
  // Extensions are in the page, the key's worker is not.
  void askExtension(method, params).then((answer) => worker.postMessage({ type: 'signer-answer', id, answer }));
};
worker.onerror = (event) =>
  desktop.receive({
    type: 'session',
    session: { phase: 'failed', problem: `The page’s worker failed: ${event.message}` },
  });
onReturn(document, desktop.nowMs, () => desktop.resync());
const base = new URL('.', document.baseURI).href;
const device = openPageDevice({ base, nowMs: desktop.nowMs, call, send: desktop.control });
desktop.open(base, token);
onNewLink(({ token: newer, call: newerCall }) => {
  if (newerCall !== undefined) return device.calls.take(newerCall);
  // A page that is open needs no other way in, except with another key.
  const isOpen = desktop.store.getState().session.phase === 'ready';
  if (newer === undefined || (isOpen && readMoveLink(newer) === undefined)) return;
  keepLinkToken(newer);
  location.reload();
});

const root = document.getElementById('root');
if (root === null) throw new TypeError('index.html must have an element #root');
createRoot(root).render(
  <StrictMode>
    <DeviceProvider value={device}>
      <DesktopProvider value={desktop}>
        <App />
      </DesktopProvider>
    </DeviceProvider>
  </StrictMode>,
);
