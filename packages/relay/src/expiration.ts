import { type EventTemplate, tagValue } from '@heliograph/wire';

/** The Unix second from which an event is over (NIP-40); undefined for ever, also when the tag holds no whole number. */
export function expiresAt(event: EventTemplate): number | undefined {
  const text = tagValue(event, 'expiration');
  if (text === undefined || !/^\d{1,15}$/.test(text)) return undefined;
  return Number(text);
}
