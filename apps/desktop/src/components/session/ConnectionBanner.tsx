import type { AgentRecord } from '../../store/desktop-store.ts';
import { readLights, readRelays } from '../../store/lights.ts';
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
  const isRelayAway = lights.relay.sign !== 'ok';
  const harness = agent.presence?.harness;
  if (broken === undefined || (harness === undefined && !isRelayAway)) return null;
  const isHistory = isRelayAway || harness !== 'live';
  return (
    <Banner
      testId="connection-banner"
      {...(lights.relay.sign === 'bad' || lights.agent.sign === 'bad' ? { tone: 'bad' as const } : {})}
      action={
        isHistory &&
        !isRelayAway && (
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

/** Where no session is shown: the relay's trouble, with its mend, in the place where a session would say it. */
export function RelayBanner() {
  const relays = useDesktopState((state) => state.relays);
  const light = readRelays(relays, useNow());
  if (light.sign !== 'bad' || relays.length === 0) return null;
  return (
    <Banner testId="connection-banner" tone="bad">
      {light.words}
    </Banner>
  );
}
