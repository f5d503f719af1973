import type { AgentRecord } from '../../store/desktop-store.ts';
import { readLights } from '../../store/lights.ts';
import { useNow } from '../parts/use-now.ts';
import { useDesktop, useDesktopState } from '../use-desktop.ts';
import { Banner } from './Banner.tsx';

/** Says when what is on the screen is not the present, and why. Nothing is shown while all is well. */
export function ConnectionBanner({ agent }: { readonly agent: AgentRecord }) {
  const desktop = useDesktop();
  const relays = useDesktopState((state) => state.relays);
  const now = useNow();
  const lights = readLights(relays, agent, now);
  const broken = [lights.relay, lights.harness, lights.agent].find((light) => light.sign !== 'ok');
  if (broken === undefined || agent.presence?.harness === undefined) return null;
  const isHistory = agent.presence.harness !== 'live';
  return (
    <Banner
      testId="connection-banner"
      {...(lights.relay.sign === 'bad' || lights.agent.sign === 'bad' ? { tone: 'bad' as const } : {})}
      action={
        isHistory && (
          <button
            type="button"
            className="link flex-none"
            data-testid="resync"
            onClick={() => desktop.resync(agent.publicKey)}
          >
            Ask again
          </button>
        )
      }
    >
      {broken.words}
      {isHistory && ' What is shown is history.'}
    </Banner>
  );
}
