import type { Clock } from '@heliograph/client';
import type { SealedEnvelope, SeqSpan } from './sealed-envelope.ts';
import { readContent, SegmentFiles } from './segment-files.ts';
import type { Spool, SpoolEntry, SpoolPort } from './spool.ts';
import { Kept, type Segment, SpoolIndex } from './spool-index.ts';
import { encodeAcceptedRecord, encodeEnvelopeRecord } from './spool-record.ts';

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

/** What may be dropped, in this order. Pinned envelopes never are. */
const DROPS = [
  ({ accepted }: Kept) => accepted,
  ({ accepted, gaps }: Kept) => accepted || gaps.length === 0,
  () => true,
] as const;
type MayDrop = (kept: Kept) => boolean;

const SEGMENTS = 64;
const MIN_SEGMENT_BYTES = 64 * 1_024;
/** Not on disk yet, at most, while it takes what comes: more is not sealed. */
const MAX_PENDING_BYTES = 16 * 1_024 * 1_024;
const RETRY_MS = 10_000;
const SEGMENT_AGE_MS = 24 * 3_600_000;
const LOOK_FOR_OLD_MS = 3_600_000;

/** Reads what earlier runs left in the folder. Rejects with the system's error when the folder can't be used. */
export async function openDiskSpool(options: DiskSpoolOptions): Promise<(port: SpoolPort) => DiskSpool> {
  const index = new SpoolIndex();
  const files = new SegmentFiles(options.folder);
  await files.restore(index, options.onTorn);
  return (port) => new DiskSpool(options, files, index, port);
}

/**
 * A spool in append-only segment files, with an index in memory. What is appended is written and synced at once, all that
 * came meanwhile as the next group. Room is made by dropping a whole segment, after what must stay was copied out of it.
 */
export class DiskSpool implements Spool {
  readonly #options: DiskSpoolOptions;
  readonly #port: SpoolPort;
  readonly #segmentBytes: number;
  readonly #files: SegmentFiles;
  readonly #index: SpoolIndex;
  /** Not on disk yet, oldest first. */
  #pending: Kept[] = [];
  #pendingBytes = 0;
  #accepted: Kept[] = [];
  #waiters: (() => void)[] = [];
  #running: Promise<void> | undefined;
  #isFailing = false;
  #isClosed = false;
  #cancelRetry = () => {};
  #cancelLook = () => {};
  #lookForOld = true;

  constructor(options: DiskSpoolOptions, files: SegmentFiles, index: SpoolIndex, port: SpoolPort) {
    this.#options = options;
    this.#files = files;
    this.#index = index;
    this.#port = port;
    this.#segmentBytes = Math.max(MIN_SEGMENT_BYTES, Math.floor(options.maxBytes / SEGMENTS));
    this.#look();
  }

  append(envelope: SealedEnvelope): SpoolEntry {
    const { content, sinceMs: atMs } = envelope;
    const kept = new Kept({ ...envelope, atMs, accepted: false }, content.length, content);
    this.#index.add(kept);
    this.#pending.push(kept);
    this.#pendingBytes += kept.bytes;
    if (this.#isFailing) this.#trimMemory(kept);
    else this.#wake();
    return kept;
  }

  read(entry: SpoolEntry): string | undefined {
    const kept = this.#index.find(entry);
    if (kept === undefined) return undefined;
    if (kept.content !== undefined) return kept.content;
    try {
      return readContent(kept);
    } catch {
      // Somebody took the file away: what no relay has is lost, and told so.
      this.#drop(kept);
      return undefined;
    }
  }

  accept(entry: SpoolEntry): void {
    const kept = this.#index.find(entry);
    if (kept === undefined || kept.accepted) return;
    kept.accepted = true;
    this.#accepted.push(kept);
    if (!this.#isFailing) this.#wake();
  }

  range(stream: string, fromSeq: number, toSeq: number): readonly SpoolEntry[] {
    return this.#index.range(stream, fromSeq, toSeq);
  }

  pin(span: SeqSpan): () => void {
    return this.#index.pin(span);
  }

  unsent(): readonly SpoolEntry[] {
    return this.#index.unsent();
  }

  last(stream: string): SpoolEntry | undefined {
    return this.#index.last(stream);
  }

  /** Resolves when the disk has all but a little, or when it can't. */
  async room(): Promise<void> {
    while (this.#pendingBytes > MAX_PENDING_BYTES && !this.#isFailing && !this.#isClosed)
      await this.#nextGroupWritten();
  }

  /** Resolves when the disk has it, or when the disk can't. */
  async written(entry: SpoolEntry): Promise<void> {
    const kept = this.#index.find(entry);
    while (kept?.content !== undefined && !this.#isFailing && !this.#isClosed) await this.#nextGroupWritten();
  }

  async close(): Promise<void> {
    this.#cancelRetry();
    this.#cancelLook();
    if (!this.#isFailing) this.#wake();
    while (this.#running !== undefined) await this.#running;
    this.#cancelRetry();
    this.#isClosed = true;
    this.#release();
    await this.#files.close();
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
        const [oldest] = group.kept;
        if (oldest !== undefined) this.#port.onWritten(this.#options.clock.nowMs() - oldest.atMs);
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

  #nextGroupWritten(): Promise<void> {
    return new Promise((resolve) => void this.#waiters.push(resolve));
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
    const segment = await this.#currentFile();
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
    await this.#files.append(text, places.length > 0);
    this.#accepted.splice(0, accepted.length);
    for (const [kept, offset] of places) {
      if (this.#index.find(kept) !== kept) continue; // Dropped meanwhile.
      kept.segment?.kept.delete(kept);
      segment.kept.add(kept);
      Object.assign(kept, { segment, offset, content: undefined });
    }
  }

  #currentFile(): Promise<Segment> {
    return this.#files.current((segment) => this.#isFull(segment));
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
      for (const segment of this.#files.complete()) {
        if (this.#files.bytes <= room) return;
        if (isReclaimable(segment, mayDrop)) await this.#reclaim(segment, mayDrop);
      }
    }
  }

  async #reclaim(segment: Segment, mayDrop: MayDrop): Promise<void> {
    for (const kept of segment.kept) if (kept.pins === 0 && mayDrop(kept)) this.#drop(kept);
    if (segment.kept.size > 0) await this.#write([...segment.kept]);
    await this.#files.remove(segment);
  }

  async #dropOld(): Promise<void> {
    this.#lookForOld = false;
    await this.#currentFile();
    const sinceMs = this.#options.clock.nowMs() - this.#options.maxAgeMs;
    const isOld = ({ atMs }: Kept) => atMs < sinceMs;
    for (const segment of this.#files.complete())
      if ([...segment.kept].every(isOld)) await this.#reclaim(segment, isOld);
  }

  #look(): void {
    this.#lookForOld = true;
    if (!this.#isFailing) this.#wake();
    this.#cancelLook = this.#options.clock.setTimer(LOOK_FOR_OLD_MS, () => this.#look());
  }

  #drop(kept: Kept): void {
    this.#index.delete(kept);
    this.#port.onGone(kept);
    if (kept.accepted) return;
    this.#port.onLost(kept, kept.hash);
    // A lost gap no longer tells of what it named.
    for (const gap of kept.gaps) this.#port.onLost(gap, kept.hash);
  }

  async #fail(cause: unknown): Promise<void> {
    if (!this.#isFailing) this.#port.onDisk(cause instanceof Error ? cause : new Error(String(cause)));
    this.#isFailing = true;
    await this.#files.abandon();
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
