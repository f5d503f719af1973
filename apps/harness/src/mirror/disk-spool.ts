import { closeSync, openSync, readSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@heliograph/client';
import type { SealedEnvelope, SeqSpan } from './sealed-envelope.ts';
import { overlaps, type Spool, type SpoolEntry, type SpoolPort } from './spool.ts';
import {
  type EnvelopeRecord,
  encodeAcceptedRecord,
  encodeEnvelopeRecord,
  type Location,
  readSegment,
} from './spool-record.ts';

export interface DiskSpoolOptions {
  /** Made when absent, 0700. One harness at a time. */
  readonly folder: string;
  /** All files together are never larger, unless pinned envelopes alone are. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** What is held in memory while the disk takes nothing. */
  readonly maxMemoryBytes: number;
  readonly clock: Clock;
  /** What a crash left half written in this file was cut off, and so many lines of it are no records. */
  readonly onTorn: (path: string, bytes: number, damagedLines: number) => void;
}

interface Kept extends SpoolEntry {
  readonly gaps: readonly SeqSpan[];
  readonly atMs: number;
  readonly bytes: number;
  accepted: boolean;
  pins: number;
  /** The ciphertext, while it is not on disk. */
  content: string | undefined;
  segment: Segment | undefined;
  offset: number;
}

interface Segment {
  readonly path: string;
  readonly kept: Set<Kept>;
  bytes: number;
}

/** What may be dropped, in this order. Pinned envelopes never are. */
const DROPS = [
  ({ accepted }: Kept) => accepted,
  ({ accepted, gaps }: Kept) => accepted || gaps.length === 0,
  () => true,
] as const;
type MayDrop = (kept: Kept) => boolean;

const SEGMENTS = 64;
const MIN_SEGMENT_BYTES = 64 * 1_024;
const RETRY_MS = 10_000;
const SEGMENT_AGE_MS = 24 * 3_600_000;
const LOOK_FOR_OLD_MS = 3_600_000;
const NAME = /^(\d{12})\.spool$/;

/** Reads what earlier runs left in the folder. Rejects with the system's error when the folder can't be used. */
export async function openDiskSpool(options: DiskSpoolOptions): Promise<(port: SpoolPort) => DiskSpool> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const names = (await readdir(options.folder)).filter((name) => NAME.test(name)).sort();
  const segments: Segment[] = [];
  const streams = new Map<string, Map<number, Kept>>();
  for (const name of names) {
    const segment: Segment = { path: join(options.folder, name), kept: new Set(), bytes: 0 };
    segments.push(segment);
    const file = await readFile(segment.path);
    const { records, wholeBytes, damaged } = readSegment(file);
    segment.bytes = wholeBytes;
    if (wholeBytes < file.length) await truncate(segment.path, wholeBytes);
    if (wholeBytes < file.length || damaged > 0) options.onTorn(segment.path, file.length - wholeBytes, damaged);
    for (const found of records) {
      if (found.type === 'envelope') restore(streams, segment, found.record, found.location);
      else {
        const kept = streams.get(found.stream)?.get(found.firstSeq);
        if (kept !== undefined) kept.accepted = true;
      }
    }
  }
  return (port) => new DiskSpool(options, segments, streams, port);
}

function restore(streams: Map<string, Map<number, Kept>>, segment: Segment, record: EnvelopeRecord, where: Location) {
  const stream = streams.get(record.stream) ?? new Map<number, Kept>();
  streams.set(record.stream, stream);
  const earlier = stream.get(record.firstSeq);
  // A crash came between copying it and dropping the old file.
  earlier?.segment?.kept.delete(earlier);
  const accepted = record.accepted || earlier?.accepted === true;
  const kept: Kept = { ...record, accepted, ...where, pins: 0, content: undefined, segment };
  stream.set(record.firstSeq, kept);
  segment.kept.add(kept);
}

/**
 * A spool in append-only segment files, with an index in memory. What is appended is written and synced at once, all that
 * came meanwhile as the next group. Room is made by dropping a whole segment, after what must stay was copied out of it.
 */
export class DiskSpool implements Spool {
  readonly #options: DiskSpoolOptions;
  readonly #port: SpoolPort;
  readonly #segmentBytes: number;
  readonly #segments: Segment[];
  readonly #streams: Map<string, Map<number, Kept>>;
  readonly #pins = new Set<SeqSpan>();
  /** Not on disk yet, oldest first. */
  #pending: Kept[] = [];
  #pendingBytes = 0;
  #accepted: Kept[] = [];
  #file: { readonly handle: FileHandle; readonly segment: Segment } | undefined;
  #waiters: (() => void)[] = [];
  #running: Promise<void> | undefined;
  #isFailing = false;
  #isClosed = false;
  #cancelRetry = () => {};
  #cancelLook = () => {};
  #lookForOld = true;

  constructor(
    options: DiskSpoolOptions,
    segments: Segment[],
    streams: Map<string, Map<number, Kept>>,
    port: SpoolPort,
  ) {
    this.#options = options;
    this.#segments = segments;
    this.#streams = streams;
    this.#port = port;
    this.#segmentBytes = Math.max(MIN_SEGMENT_BYTES, Math.floor(options.maxBytes / SEGMENTS));
    this.#look();
  }

  append(envelope: SealedEnvelope): SpoolEntry {
    const kept: Kept = {
      ...envelope,
      atMs: this.#options.clock.nowMs(),
      bytes: envelope.content.length,
      accepted: false,
      pins: 0,
      segment: undefined,
      offset: 0,
    };
    for (const span of this.#pins) if (overlaps(kept, span)) kept.pins++;
    const stream = this.#streams.get(kept.stream) ?? new Map<number, Kept>();
    this.#streams.set(kept.stream, stream);
    stream.set(kept.firstSeq, kept);
    this.#pending.push(kept);
    this.#pendingBytes += kept.bytes;
    if (this.#isFailing) this.#trimMemory(kept);
    else this.#wake();
    return kept;
  }

  read(entry: SpoolEntry): string | undefined {
    const kept = this.#find(entry);
    if (kept === undefined) return undefined;
    if (kept.content !== undefined) return kept.content;
    try {
      return readContent((kept.segment as Segment).path, kept);
    } catch {
      // Somebody took the file away: what no relay has is lost, and told so.
      this.#drop(kept);
      return undefined;
    }
  }

  accept(entry: SpoolEntry): void {
    const kept = this.#find(entry);
    if (kept === undefined || kept.accepted) return;
    kept.accepted = true;
    this.#accepted.push(kept);
    if (!this.#isFailing) this.#wake();
  }

  range(stream: string, fromSeq: number, toSeq: number): readonly Kept[] {
    const wanted = { stream, firstSeq: fromSeq, lastSeq: toSeq };
    const kept = [...(this.#streams.get(stream)?.values() ?? [])].filter((envelope) => overlaps(envelope, wanted));
    // What was copied out of a file stands behind its successors after a restart.
    return kept.sort((a, b) => a.firstSeq - b.firstSeq);
  }

  pin(span: SeqSpan): () => void {
    const pinned = { ...span };
    this.#pins.add(pinned);
    for (const kept of this.range(span.stream, span.firstSeq, span.lastSeq)) kept.pins++;
    return () => {
      if (!this.#pins.delete(pinned)) return;
      for (const kept of this.range(span.stream, span.firstSeq, span.lastSeq)) kept.pins--;
    };
  }

  unsent(): readonly SpoolEntry[] {
    return [...this.#streams.values()].flatMap((stream) => [...stream.values()].filter(({ accepted }) => !accepted));
  }

  last(stream: string): SpoolEntry | undefined {
    let last: Kept | undefined;
    for (const kept of this.#streams.get(stream)?.values() ?? [])
      if (last === undefined || kept.lastSeq > last.lastSeq) last = kept;
    return last;
  }

  /** Resolves when the disk has it, or when the disk can't. */
  async written(entry: SpoolEntry): Promise<void> {
    const kept = this.#find(entry);
    while (kept?.content !== undefined && !this.#isFailing && !this.#isClosed)
      await new Promise<void>((resolve) => void this.#waiters.push(resolve));
  }

  async close(): Promise<void> {
    this.#cancelRetry();
    this.#cancelLook();
    if (!this.#isFailing) this.#wake();
    while (this.#running !== undefined) await this.#running;
    this.#cancelRetry();
    this.#isClosed = true;
    this.#release();
    await this.#file?.handle.close();
    this.#file = undefined;
  }

  #find(entry: SpoolEntry): Kept | undefined {
    return this.#streams.get(entry.stream)?.get(entry.firstSeq);
  }

  #wake(): void {
    if (this.#isClosed) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (!this.#isFailing && (this.#pending.length > 0 || this.#accepted.length > 0)) this.#wake();
    });
  }

  async #run(): Promise<void> {
    try {
      while (this.#pending.length > 0 || this.#accepted.length > 0 || this.#lookForOld) {
        if (this.#lookForOld) await this.#dropOld();
        const group = this.#nextGroup();
        await this.#makeRoom(group.bytes);
        await this.#write(group.kept);
        this.#pending = this.#pending.filter((kept) => kept.content !== undefined);
        this.#pendingBytes = this.#pending.reduce((sum, { bytes }) => sum + bytes, 0);
        this.#release();
      }
      if (this.#isFailing) this.#port.onDisk(undefined);
      this.#isFailing = false;
    } catch (cause) {
      await this.#fail(cause);
    }
  }

  #nextGroup(): { readonly kept: readonly Kept[]; readonly bytes: number } {
    let bytes = 0;
    let count = 0;
    for (; count < this.#pending.length && bytes < this.#segmentBytes; count++)
      bytes += (this.#pending[count] as Kept).bytes;
    return { kept: this.#pending.slice(0, count), bytes };
  }

  /** Appends and syncs; envelopes that are elsewhere already move. */
  async #write(group: readonly Kept[]): Promise<void> {
    const { handle, segment } = await this.#currentFile();
    const accepted = [...this.#accepted];
    let text = '';
    const places: [Kept, number][] = [];
    for (const kept of group) {
      const content = kept.content ?? this.read(kept);
      if (content === undefined) continue;
      const encoded = encodeEnvelopeRecord(kept, content);
      places.push([kept, segment.bytes + text.length + encoded.offset]);
      text += encoded.text;
    }
    for (const kept of accepted) text += encodeAcceptedRecord(kept);
    if (text === '') return;
    // Every record is ASCII: ids, numbers, hex and base64.
    await handle.appendFile(text, 'latin1');
    if (places.length > 0) await handle.datasync();
    segment.bytes += text.length;
    this.#accepted.splice(0, accepted.length);
    for (const [kept, offset] of places) {
      if (this.#find(kept) !== kept) continue; // Dropped meanwhile.
      kept.segment?.kept.delete(kept);
      segment.kept.add(kept);
      Object.assign(kept, { segment, offset, content: undefined });
    }
  }

  async #currentFile(): Promise<{ readonly handle: FileHandle; readonly segment: Segment }> {
    if (this.#file !== undefined && !this.#isFull(this.#file.segment)) return this.#file;
    await this.#file?.handle.close();
    this.#file = undefined;
    let segment = this.#segments.at(-1);
    if (segment === undefined || this.#isFull(segment)) {
      const number = segment === undefined ? 0 : Number(NAME.exec(segment.path.slice(-18))?.[1]) + 1;
      const path = join(this.#options.folder, `${String(number).padStart(12, '0')}.spool`);
      segment = { path, kept: new Set(), bytes: 0 };
      this.#segments.push(segment);
    }
    this.#file = { handle: await open(segment.path, 'a', 0o600), segment };
    return this.#file;
  }

  /** A file spans a day at most, so that age is bounded too. */
  #isFull({ bytes, kept }: Segment): boolean {
    const first = kept.values().next().value;
    const sinceMs = this.#options.clock.nowMs() - SEGMENT_AGE_MS;
    return bytes >= this.#segmentBytes || (first !== undefined && first.atMs < sinceMs);
  }

  async #makeRoom(bytes: number): Promise<void> {
    await this.#currentFile();
    // A segment may grow to twice its size, and while one is copied its records are there twice.
    const room = this.#options.maxBytes - 3 * this.#segmentBytes - bytes;
    for (const mayDrop of DROPS) {
      for (const segment of [...this.#segments]) {
        if (this.#diskBytes() <= room) return;
        if (segment === this.#file?.segment || !isReclaimable(segment, mayDrop)) continue;
        await this.#reclaim(segment, mayDrop);
      }
    }
  }

  #diskBytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async #reclaim(segment: Segment, mayDrop: MayDrop): Promise<void> {
    for (const kept of segment.kept) if (kept.pins === 0 && mayDrop(kept)) this.#drop(kept);
    if (segment.kept.size > 0) await this.#write([...segment.kept]);
    await rm(segment.path, { force: true });
    this.#segments.splice(this.#segments.indexOf(segment), 1);
  }

  async #dropOld(): Promise<void> {
    this.#lookForOld = false;
    await this.#currentFile();
    const sinceMs = this.#options.clock.nowMs() - this.#options.maxAgeMs;
    const isOld = ({ atMs }: Kept) => atMs < sinceMs;
    for (const segment of [...this.#segments]) {
      if (segment === this.#file?.segment || ![...segment.kept].every(isOld)) continue;
      await this.#reclaim(segment, isOld);
    }
  }

  #look(): void {
    this.#lookForOld = true;
    if (!this.#isFailing) this.#wake();
    this.#cancelLook = this.#options.clock.setTimer(LOOK_FOR_OLD_MS, () => this.#look());
  }

  #drop(kept: Kept): void {
    kept.segment?.kept.delete(kept);
    const stream = this.#streams.get(kept.stream);
    stream?.delete(kept.firstSeq);
    if (stream?.size === 0) this.#streams.delete(kept.stream);
    kept.content = undefined;
    this.#port.onGone(kept);
    if (kept.accepted) return;
    this.#port.onLost(kept, kept.hash);
    // A lost gap no longer tells of what it named.
    for (const gap of kept.gaps) this.#port.onLost(gap, kept.hash);
  }

  async #fail(cause: unknown): Promise<void> {
    if (!this.#isFailing) this.#port.onDisk(cause instanceof Error ? cause : new Error(String(cause)));
    this.#isFailing = true;
    const file = this.#file;
    this.#file = undefined;
    // What was half written is cut off, or skipped when it is read: a record is one line.
    await file?.handle.truncate(file.segment.bytes).catch(() => {});
    await file?.handle.close().catch(() => {});
    this.#trimMemory(undefined);
    this.#release();
    this.#cancelRetry = this.#options.clock.setTimer(RETRY_MS, () => this.#wake());
  }

  #trimMemory(newest: Kept | undefined): void {
    for (const mayDrop of DROPS) {
      if (this.#pendingBytes <= this.#options.maxMemoryBytes) return;
      const left: Kept[] = [];
      for (const kept of this.#pending) {
        const goes = this.#pendingBytes > this.#options.maxMemoryBytes && kept.pins === 0 && mayDrop(kept);
        if (!goes || kept === newest) left.push(kept);
        else {
          this.#pendingBytes -= kept.bytes;
          this.#drop(kept);
        }
      }
      this.#pending = left;
    }
  }

  #release(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }
}

function isReclaimable({ kept }: Segment, mayDrop: MayDrop): boolean {
  if (kept.size === 0) return true;
  for (const envelope of kept) if (envelope.pins === 0 && mayDrop(envelope)) return true;
  return false;
}

function readContent(path: string, { offset, bytes }: Location): string {
  const content = Buffer.allocUnsafe(bytes);
  const file = openSync(path, 'r');
  try {
    const read = readSync(file, content, 0, bytes, offset);
    if (read < bytes) throw new Error(`${path} ends before byte ${offset + bytes}`);
  } finally {
    closeSync(file);
  }
  return content.toString('latin1');
}
