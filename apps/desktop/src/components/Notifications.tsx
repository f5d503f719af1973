import type { PushReason } from '@heliograph/wire';
import { useEffect, useMemo, useRef } from 'react';
import { usePageDevice } from '../installed/page-device.ts';
import { type Notice, noticePlace, onNoticePress, showNotice } from '../installed/show-notice.ts';
import { isQuiet, readNotifySettings, wantsNotice } from '../notify-settings.ts';
import { selectFleet } from '../store/fleet.ts';
import { noticesSince, type SeenStatus, type SessionNotice } from '../store/notices.ts';
import { sessionKey } from '../store/session-ref.ts';
import { toPlainLine } from '../text/visible-text.ts';
import { useDesktop, useDesktopState } from './use-desktop.ts';

const TITLES: Readonly<Record<PushReason, string>> = {
  permission: 'asks for permission',
  question: 'asks you something',
  ended: 'ended its turn',
  failed: 'failed',
  offline: 'does not answer',
};

/** Calls the owner who looks elsewhere, for what they chose to be called for. Draws nothing. */
export function Notifications(props: { readonly onSelect: () => void }) {
  const desktop = useDesktop();
  const agents = useDesktopState((state) => state.agents);
  const groups = useMemo(() => selectFleet(agents), [agents]);
  const push = usePageDevice()?.push;
  const seen = useRef<SeenStatus>(undefined);
  /** What a press on one opens, by its session: no more than there are sessions. */
  const opens = useRef(new Map<string, () => void>());
  const { onSelect } = props;
  useEffect(() => {
    const looked = noticesSince(seen.current, groups);
    seen.current = looked.seen;
    if (looked.notices.length === 0 || document.visibilityState === 'visible') return;
    const settings = readNotifySettings();
    if (globalThis.Notification?.permission !== 'granted' || isQuiet(settings, new Date(desktop.nowMs()))) return;
    for (const notice of looked.notices) {
      const { agent } = notice.entry.ref;
      if (!wantsNotice(settings, agent, notice.kind)) continue;
      // Its machine calls this device itself; only what it can't know of, that it is silent, is left to the page.
      if (notice.kind !== 'offline' && push?.phase(agent).phase === 'on') continue;
      const shown = toNotice(notice);
      const open = () => {
        globalThis.focus();
        desktop.select(notice.entry.ref);
        onSelect();
      };
      opens.current.set(shown.tag, open);
      void showNotice(noticePlace(new URL('.', document.baseURI).href), shown, open);
    }
  }, [groups, desktop, onSelect, push]);
  useEffect(() => {
    const { serviceWorker } = navigator as Partial<Pick<Navigator, 'serviceWorker'>>;
    return onNoticePress(serviceWorker, (tag) => opens.current.get(tag)?.());
  }, []);
  return null;
}

/** One at a time for each session: the newest takes the place of the one before. */
function toNotice({ kind, entry }: SessionNotice): Notice {
  // Nothing an agent said beside its session's name: other people see locked screens.
  return { title: `${toPlainLine(entry.title, 60)} ${TITLES[kind]}`, tag: sessionKey(entry.ref) };
}
