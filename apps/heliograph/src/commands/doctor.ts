import { existsSync } from 'node:fs';
import { diagnoseRelay } from '@heliograph/app-relay';
import { eventSigner } from '@heliograph/wire/nostr';
import { type Context, openOwnerKey } from '../context.ts';
import { defaultPort, loopback } from '../listening.ts';
import { askSystem, checkServices, type ServiceFinding } from '../service/service-check.ts';
import { serviceKind, serviceManager } from '../service/service-manager.ts';
import { relayFolder } from './relay-storage.ts';

interface DoctorOptions {
  readonly url?: string;
  readonly ownerKey?: string;
  readonly data?: string;
}

/** `heliograph doctor`: looks at a relay as its clients meet it, and at the agents this user has as services; each line is ok, or what is wrong and the mend. */
export async function doctor({ url, ownerKey, data }: DoctorOptions, context: Context): Promise<number> {
  const isGuest = ownerKey === undefined && !existsSync(context.places.ownerKey);
  const secret = isGuest ? context.crypto.randomBytes(32) : (await openOwnerKey(ownerKey, context)).secret;
  const folder = relayFolder(data === undefined ? {} : { data }, context);
  const isHere = data !== undefined || (url === undefined && existsSync(folder));
  const findings = diagnoseRelay({
    url: url ?? `ws://${loopback}:${defaultPort.relay}`,
    signer: eventSigner(secret, context.crypto),
    isGuest,
    dataDir: isHere ? folder : undefined,
    nowSec: () => Math.floor(Date.now() / 1_000),
  });
  let isWell = true;
  const tell = ({ check, ok, text }: ServiceFinding) => {
    isWell &&= ok;
    process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${check}: ${text}\n`);
  };
  for await (const finding of findings) tell(finding);
  const kind = serviceKind();
  if (kind !== undefined) {
    const { env, folder: here } = context;
    for (const finding of checkServices(serviceManager(kind, env), askSystem(env, here))) tell(finding);
  }
  return isWell ? 0 : 1;
}
