import { writeFileSync } from 'node:fs';
import {
  describeExport,
  describeReport,
  isExportFile,
  joinArchiveFile,
  rebuildArchive,
  verifyArchiveFile,
  verifyExportFile,
} from '@heliograph/app-archive';
import { createRelayClient } from '@heliograph/client';
import { parseEvent, verifyEvent } from '@heliograph/wire';
import { localSigner } from '@heliograph/wire/nostr';
import { archiveFile, orFail, say } from '../archive-place.ts';
import { type Context, openOwnerKey } from '../context.ts';
import { badUsage, Failure, systemCode } from '../failure.ts';
import { systemClock, systemSocket } from '../relay-socket.ts';

export interface ArchiveVerifyOptions {
  readonly file?: string;
  readonly owner?: string;
  readonly checkpoint?: readonly string[];
  readonly json?: boolean;
}

/** `heliograph archive verify`: exit 0 when everything holds, else 1. */
export async function archiveVerify(options: ArchiveVerifyOptions, context: Context): Promise<number> {
  const { owner, checkpoint: witnesses = [], json } = options;
  const { crypto, log } = context;
  const file = archiveFile(options.file, context);
  if (isExportFile(file)) {
    const proved = verifyExportFile(file, { crypto, owner, witnesses });
    if (!proved.ok) throw new Failure(1, proved.error.message, { cause: proved.error.cause });
    say(...(json === true ? [JSON.stringify(proved.value, undefined, 2)] : describeExport(proved.value, owner)));
    return proved.value.report.ok ? 0 : 1;
  }
  const onProgress = (records: number) => log.debug({ records }, 'verifying');
  const report = orFail(verifyArchiveFile(file, { crypto, owner, witnesses, onProgress }));
  if (json === true) say(JSON.stringify(report, undefined, 2));
  else say(...describeReport(report, owner));
  return report.ok ? 0 : 1;
}

/** `heliograph archive rebuild`: what the views and the index show, made anew from the records. */
export async function archiveRebuild(file: string | undefined, context: Context): Promise<number> {
  const path = archiveFile(file, context);
  const records = orFail(rebuildArchive(path, context.crypto));
  say(`Views and index of ${path} were made anew from its ${records} records.`);
  return 0;
}

export interface ArchiveCheckpointOptions {
  readonly publish?: string;
  readonly ownerKey?: string;
  readonly digest?: string;
}

const PUBLISH_TIMEOUT_MS = 15_000;

/** `heliograph archive checkpoint`: the newest one, for somebody else to hold. */
export async function archiveCheckpoint(options: ArchiveCheckpointOptions, context: Context): Promise<number> {
  const db = orFail(joinArchiveFile(archiveFile(undefined, context)));
  const row = db
    .prepare("SELECT id, at_n AS n, json FROM statements WHERE type = 'checkpoint' ORDER BY s DESC LIMIT 1")
    .get() as { id: string; n: number; json: string } | undefined;
  db.close();
  if (row === undefined)
    throw new Failure(
      1,
      'the archive has signed no checkpoint yet: it does once a minute while it runs, and when it ends',
    );
  const { digest, publish } = options;
  if (digest !== undefined) writeNew(context.path(digest), row.json);
  if (publish !== undefined) await publishTo(publish, row.json, options.ownerKey, context);
  say(row.id);
  const kept = [digest && `written to ${context.path(digest)}`, publish && `published on ${publish}`].filter(Boolean);
  context.log.info(
    { record: row.n },
    `checkpoint of records up to ${row.n}${kept.length > 0 ? `, ${kept.join(' and ')}` : ''}: keep the hash where nobody who has this file can change it`,
  );
  return 0;
}

function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, `${text}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw badUsage(`--digest: ${path} can't be written (${systemCode(error)}). Expected a new file.`);
  }
}

async function publishTo(url: string, json: string, ownerKey: string | undefined, context: Context): Promise<void> {
  const { crypto } = context;
  const parsed = parseEvent(JSON.parse(json));
  const event = parsed.ok ? verifyEvent(parsed.value, crypto) : parsed;
  if (!event.ok)
    throw new Failure(1, `the newest checkpoint is damaged (${event.error.message}): see heliograph archive verify`);
  const owner = await openOwnerKey(ownerKey, context);
  const ready = withResolvers();
  const client = createRelayClient({
    url,
    signer: localSigner(owner.secret, crypto),
    openSocket: systemSocket,
    clock: systemClock,
    random: Math.random,
    onState: ({ phase }) => {
      if (phase === 'ready') ready.resolve();
    },
  });
  const timer = setTimeout(() => ready.resolve(), PUBLISH_TIMEOUT_MS);
  try {
    await ready.promise;
    const sent = await client.publish(event.value, { timeoutMs: PUBLISH_TIMEOUT_MS });
    if (!sent.ok) throw new Failure(1, `${url} did not take the checkpoint: ${sent.error.message}`);
  } finally {
    clearTimeout(timer);
    client.close();
  }
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
