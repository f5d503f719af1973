import type { Crypto } from '@heliograph/wire';
import type { RecordHead } from '../record.ts';
import { ArchiveVerifier } from '../verify.ts';
import type { Problem, VerifyReport } from '../verify-report.ts';
import { ExportDigest } from './export-digest.ts';
import { type ExportLine, parseExportLine } from './export-line.ts';
import type { Manifest } from './manifest.ts';

/** What an export proves. */
export interface ExportReport {
  readonly manifest: Manifest;
  readonly report: VerifyReport;
  /** Records of which only the head is told. */
  readonly links: number;
  /** The newest record of the export that a signed checkpoint covers; records after it are signed by their agents alone. */
  readonly coveredTo: number;
  readonly lines: number;
  /** Who made agents' keys, by public key, in the archive's word: no signature is over it. */
  readonly keyMakersTold: Readonly<Record<string, 'owner' | 'agent'>>;
}

export interface ExportVerifierOptions {
  readonly crypto: Crypto;
  /** The owner's public key (hex), known from elsewhere. */
  readonly owner?: string | undefined;
  /** Checkpoints witnessed elsewhere: statement ids or record hashes. */
  readonly witnesses?: readonly string[];
}

/** Records left out that are listed. */
const MAX_LEFT_OUT = 100;

/** The line types in the order an export has them. */
const ORDER: readonly ExportLine['type'][] = ['manifest', 'agent', 'stream', 'statement', 'record', 'end'];

/** Checks an export line by line. Memory: as the verifier of archives, and the statements. */
export class ExportVerifier {
  readonly #options: ExportVerifierOptions;
  readonly #digest: ExportDigest;
  readonly #statements: string[] = [];
  #manifest: Manifest | undefined;
  #verifier: ArchiveVerifier | undefined;
  readonly #streams = new Set<string>();
  readonly #keyMakers = new Map<string, 'owner' | 'agent'>();
  #place = -1;
  #links = 0;
  #coveredTo = 0;
  #lastRecord = 0;
  readonly #damage: Problem[] = [];

  constructor(options: ExportVerifierOptions) {
    this.#options = options;
    this.#digest = new ExportDigest(options.crypto);
  }

  /** The first line's word; `undefined` before it. */
  get manifest(): Manifest | undefined {
    return this.#manifest;
  }

  /** Takes the next line, without its end; gives it read, or a sentence that says why it can't stand there. */
  add(text: string): ExportLine | string {
    const line = parseExportLine(text, this.#options.crypto);
    if (typeof line === 'string') return line;
    const place = ORDER.indexOf(line.type === 'link' ? 'record' : line.type);
    if (this.#place < 0 && place !== 0) return 'it is no export of an archive: its first line is no manifest';
    if (this.#place >= 0 && (place === 0 || place < this.#place)) return `a ${line.type} line can't stand here`;
    if (this.#place === ORDER.length - 1) return 'something follows the end';
    this.#place = place;
    if (line.type === 'manifest') this.#manifest = line.manifest;
    if (line.type === 'agent' && line.keyMadeBy !== null) this.#keyMakers.set(line.agent, line.keyMadeBy);
    if (line.type === 'stream') this.#streams.add(`${line.agent} ${line.stream}`);
    if (line.type === 'statement') this.#statements.push(line.json);
    if (line.type === 'record') {
      this.#started().add(line.record);
      this.#cover(line.record.n);
    }
    if (line.type === 'link') {
      this.#links++;
      this.#checkLink(line.head);
      this.#started().pass(line.head);
      this.#cover(line.head.n);
    }
    if (line.type === 'end') this.#end(line.lines, line.digest);
    else this.#digest.add(text);
    return line;
  }

  /** What was proved, once all lines were taken. Throws RangeError before the manifest. */
  report(): ExportReport {
    const manifest = this.#manifest;
    if (manifest === undefined) throw new RangeError('an export begins with its manifest');
    if (this.#place !== ORDER.length - 1) {
      const message = `the export was cut off: after line ${this.#digest.lines} its end is missing`;
      this.#damage.push({ code: 'missing', n: undefined, message });
    }
    if (manifest.events === 'redacted' && this.#lastRecord > this.#coveredTo) {
      // Their agents' signatures are over what was left out, so anybody could have written these texts.
      const message = `no checkpoint covers what follows record ${this.#coveredTo}, and in a redacted export nothing else proves it: export again once the archive has signed one`;
      this.#damage.push({ code: 'checkpoint', n: this.#coveredTo + 1, message });
    }
    const report = this.#started().report(this.#damage);
    const keyMakersTold = Object.fromEntries(this.#keyMakers);
    return {
      manifest,
      report,
      links: this.#links,
      coveredTo: this.#coveredTo,
      lines: this.#digest.lines,
      keyMakersTold,
    };
  }

  /** A record that was asked for can't be told by its head alone. Whether a control is about a session can't be seen. */
  #checkLink({ n, agent, stream, receivedAtMs }: RecordHead): void {
    const scope = this.#manifest?.scope ?? {};
    const isAsked =
      (scope.agent === undefined || scope.agent === agent) &&
      (scope.session === undefined || (stream !== null && this.#streams.has(`${agent} ${stream}`))) &&
      (scope.since === undefined || receivedAtMs >= Date.parse(scope.since)) &&
      (scope.until === undefined || receivedAtMs <= Date.parse(scope.until));
    if (!isAsked || this.#damage.length >= MAX_LEFT_OUT) return;
    this.#damage.push({ code: 'missing', n, message: `record ${n} is in scope, and only its head is here` });
  }

  #end(lines: number, digest: string): void {
    if (lines === this.#digest.lines && digest === this.#digest.value) return;
    const message = 'the digest at the end is not that of the lines before it: one was changed, added or removed';
    this.#damage.push({ code: 'hash', n: undefined, message });
  }

  #started(): ArchiveVerifier {
    if (this.#verifier !== undefined) return this.#verifier;
    const { chain, scope, first, events } = this.#manifest as Manifest;
    this.#verifier = new ArchiveVerifier({
      ...this.#options,
      chain,
      statements: this.#statements,
      excerpt: scope === undefined || first === undefined ? undefined : { first: first.n, prev: first.prev },
      eventsLeftOut: events === 'redacted',
    });
    return this.#verifier;
  }

  #cover(n: number): void {
    this.#lastRecord = n;
    if (this.#verifier?.isStated(n) === true) this.#coveredTo = n;
  }
}
