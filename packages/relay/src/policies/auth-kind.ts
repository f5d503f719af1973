import { err, KIND_AUTH, ok } from '@heliograph/wire';
import type { Policy } from '../policy.ts';

/** An AUTH event is for this relay's eyes and never published (NIP-42). */
export const authKindPolicy: Policy = (event) =>
  event.kind === KIND_AUTH
    ? err({ code: 'invalid', message: `kind ${KIND_AUTH} is sent as AUTH and not published` })
    : ok(undefined);
