import { err, isEphemeral, ok } from '@heliograph/wire';
import type { RelayLimits } from '../limits.ts';
import type { Policy } from '../policy.ts';

/** How far created_at may be off: a wide window for what is kept, five minutes either way for what is live. */
export function createdAtPolicy({ maxPastSec, maxFutureSec, ephemeralSkewSec }: RelayLimits): Policy {
  return (event, { nowSec }) => {
    const aheadSec = event.created_at - nowSec;
    const isLive = isEphemeral(event.kind);
    const futureSec = isLive ? ephemeralSkewSec : maxFutureSec;
    const pastSec = isLive ? ephemeralSkewSec : maxPastSec;
    if (aheadSec > futureSec) {
      const message = `created_at is ${aheadSec} s ahead of the relay's clock, the limit is ${futureSec} s: check your clock`;
      return err({ code: 'invalid', message });
    }
    if (-aheadSec > pastSec) {
      const message = `created_at is ${-aheadSec} s behind the relay's clock, the limit is ${pastSec} s: check your clock`;
      return err({ code: 'invalid', message });
    }
    return ok(undefined);
  };
}
