import {
  describeReport,
  EXPORT_FORMATS,
  type ExportFormat,
  exportArchive,
  exportToCollector,
  importArchive,
  joinArchiveFile,
} from '@heliograph/app-archive';
import { archiveAgents } from '../archive-agents.ts';
import { archiveFile, orFail, say } from '../archive-place.ts';
import type { Context } from '../context.ts';
import { badUsage, Failure } from '../failure.ts';

export interface ArchiveExportOptions {
  readonly out?: string;
  readonly format: ExportFormat;
  readonly file?: string;
  /** A key, the beginning of one, or a name. */
  readonly agent?: string;
  readonly session?: number;
  readonly since?: string;
  readonly until?: string;
  readonly redacted?: boolean;
  readonly otlp?: string;
}

/** `heliograph archive export`: a new file (or a folder, of CSV), or spans to a collector. */
export async function archiveExport(options: ArchiveExportOptions, context: Context): Promise<number> {
  const { out, otlp, format, file, redacted = false, session, since, until } = options;
  if ((out === undefined) === (otlp === undefined)) {
    throw badUsage('expected either OUT, the new file to write, or --otlp, the collector to send spans to');
  }
  if (redacted && format !== 'jsonl') {
    throw badUsage('--redacted is for --format jsonl: the other formats hold no sealed events');
  }
  const db = orFail(joinArchiveFile(archiveFile(file, context)));
  const { crypto } = context;
  try {
    const agent = options.agent === undefined ? undefined : (await archiveAgents(db, context)).keyOf(options.agent);
    const scope = { agent, session, since, until };
    if (otlp !== undefined) {
      const sent = await exportToCollector(db, { scope, url: otlp, crypto });
      if (!sent.ok) throw failureOf(sent.error);
      say(`${otlp}: took the spans, in ${sent.value} requests.`);
      return 0;
    }
    const to = context.path(out ?? '');
    const done = exportArchive(db, { format, scope, events: redacted ? 'redacted' : 'sealed', to, crypto });
    if (!done.ok) throw failureOf(done.error);
    say(`${to}: ${format === 'jsonl' ? jsonlWords(options) : EXPORT_FORMATS[format]}.`);
    return 0;
  } finally {
    db.close();
  }
}

/** `heliograph archive import`: a new archive of a whole export. */
export async function archiveImport(
  options: { readonly from: string; readonly to: string; readonly owner?: string },
  context: Context,
): Promise<number> {
  const { owner } = options;
  const to = context.path(options.to);
  const report = importArchive({ from: context.path(options.from), to, owner, crypto: context.crypto });
  if (!report.ok) throw new Failure(1, report.error.message, { cause: report.error.cause });
  say(...describeReport(report.value, owner), `Imported to ${to}.`);
  return 0;
}

/** What can be done with a JSONL export: a part and a redacted one are no archive to go on with. */
function jsonlWords({ agent, session, since, until, redacted }: ArchiveExportOptions): string {
  const words = 'the records as kept, with what proves them, for archive verify';
  if (redacted === true)
    return 'the readable texts, for archive verify; without the signed events archive import does not take it';
  const isPart = (agent ?? session ?? since ?? until) !== undefined;
  return isPart ? `${words}; archive import takes an export of the whole archive only` : `${words} and archive import`;
}

function failureOf({ code, message, cause }: { code: string; message: string; cause?: unknown }): Failure {
  return code === 'which' ? badUsage(message) : new Failure(1, message, { cause });
}
