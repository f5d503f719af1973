import { closeSync, openSync, readSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kept, Segment, SpoolIndex } from './spool-index.ts';
import { readSegment } from './spool-record.ts';

const NAME = /^(\d{12})\.spool$/;

interface OpenFile {
  readonly handle: FileHandle;
  readonly segment: Segment;
}

/** The append-only files of a spool's folder: all but the last are complete. */
export class SegmentFiles {
  readonly #folder: string;
  readonly #segments: Segment[] = [];
  #open: OpenFile | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes the folder, or reads what earlier runs left in it into `index`; `onTorn` hears of what a crash cut short. */
  async restore(index: SpoolIndex, onTorn: (path: string, bytes: number, damagedLines: number) => void): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const names = (await readdir(this.#folder)).filter((name) => NAME.test(name)).sort();
    for (const name of names) {
      const segment: Segment = { path: join(this.#folder, name), kept: new Set(), bytes: 0 };
      this.#segments.push(segment);
      const file = await readFile(segment.path);
      const { records, wholeBytes, damaged } = readSegment(file);
      segment.bytes = wholeBytes;
      if (wholeBytes < file.length) await truncate(segment.path, wholeBytes);
      if (wholeBytes < file.length || damaged > 0) onTorn(segment.path, file.length - wholeBytes, damaged);
      for (const found of records) {
        const kept = found.type === 'accepted' ? index.find(found) : undefined;
        if (kept !== undefined) kept.accepted = true;
        if (found.type === 'envelope') index.restore(segment, found.record, found.location);
      }
    }
  }

  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** The files that nothing is appended to, oldest first. */
  complete(): readonly Segment[] {
    return this.#segments.filter((segment) => segment !== this.#open?.segment);
  }

  /** The file to append to; a new one when `isFull` says so of the last. */
  async current(isFull: (segment: Segment) => boolean): Promise<Segment> {
    if (this.#open !== undefined && !isFull(this.#open.segment)) return this.#open.segment;
    await this.close();
    let segment = this.#segments.at(-1);
    if (segment === undefined || isFull(segment)) {
      const number = segment === undefined ? 0 : Number(NAME.exec(segment.path.slice(-18))?.[1]) + 1;
      const path = join(this.#folder, `${String(number).padStart(12, '0')}.spool`);
      segment = { path, kept: new Set(), bytes: 0 };
      this.#segments.push(segment);
    }
    this.#open = { handle: await open(segment.path, 'a', 0o600), segment };
    return segment;
  }

  /** Appends ASCII text to the current file and, if `sync`, resolves only when the disk has it. */
  async append(text: string, sync: boolean): Promise<void> {
    const { handle, segment } = this.#open as OpenFile;
    await handle.appendFile(text, 'latin1');
    if (sync) await handle.datasync();
    segment.bytes += text.length;
  }

  async remove(segment: Segment): Promise<void> {
    await rm(segment.path, { force: true });
    this.#segments.splice(this.#segments.indexOf(segment), 1);
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.handle.close();
  }

  /** Lets go of the current file after an append failed; what was half written is cut off, or skipped when it is read: a record is one line. */
  async abandon(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.handle.truncate(open.segment.bytes).catch(() => {});
    await open?.handle.close().catch(() => {});
  }
}

/** An envelope's ciphertext, read from its file. Throws the system's error, or one of its own when the file is too short. */
export function readContent({ segment, offset, bytes }: Kept): string {
  const { path } = segment as Segment;
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
