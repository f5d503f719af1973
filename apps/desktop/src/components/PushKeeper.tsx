import { useEffect, useMemo, useRef } from 'react';
import { usePageDevice } from '../installed/page-device.ts';
import type { CallingAgent } from '../installed/push-link.ts';
import { onNotifySettings } from '../notify-settings.ts';
import type { AgentRecord } from '../store/desktop-store.ts';
import { toPlainLine } from '../text/visible-text.ts';
import { useDesktopState } from './use-desktop.ts';

/** Keeps what the agents' machines have of this browser's subscriptions in step with what is chosen here. Draws nothing. */
export function PushKeeper() {
  const link = usePageDevice()?.push;
  const agents = useCalling();
  const device = useDesktopState((state) => (state.session.phase === 'ready' ? state.session.device : undefined));
  useEffect(() => onNotifySettings(() => void link?.changed(false)), [link]);
  useEffect(() => {
    if (device !== undefined) link?.update(agents, device);
  }, [link, agents, device]);
  return null;
}

/** The agents as far as calling goes: the same list until that changes, however much they say. */
function useCalling(): readonly CallingAgent[] {
  const known = useRef<readonly AgentRecord[]>([]);
  const agents = useDesktopState((state) => {
    const { agents: now } = state;
    const isSame = now.length === known.current.length && now.every((agent, at) => isAlike(agent, known.current[at]));
    if (!isSame) known.current = now;
    return known.current;
  });
  return useMemo(() => agents.map(toCalling), [agents]);
}

function isAlike(a: AgentRecord, b: AgentRecord | undefined): boolean {
  return a.presence === b?.presence && a.snapshot === b?.snapshot && a.name === b?.name && a.revoked === b?.revoked;
}

function toCalling({ publicKey, name, presence, snapshot, revoked }: AgentRecord): CallingAgent {
  const isLive = presence?.harness === 'live' && !revoked;
  const plain = toPlainLine(name, 64);
  return { publicKey, name: plain, run: presence?.run, isLive, isRevoked: revoked, push: snapshot?.push };
}
