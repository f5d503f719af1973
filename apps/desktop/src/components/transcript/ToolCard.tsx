import type { PermissionItem, ToolItem } from '@heliograph/transcript';
import { formatDuration, parseTime, plural } from '../../text/human.ts';
import { commonFolder, relativeTo, toRefusedSentence, toToolSentence } from '../../text/tool-sentence.ts';
import { ChangeCount } from '../content/ChangeCount.tsx';
import { VisibleText } from '../content/VisibleText.tsx';
import { FoundHereContext, useFoundHere } from '../find/found-context.ts';
import { useNow } from '../parts/use-now.ts';
import { Sentence } from './Sentence.tsx';
import { hasToolBody, ToolBody } from './ToolBody.tsx';
import { ToolIcon } from './tool-icon.tsx';

const MAX_OBJECT_CHARACTERS = 300;
/** Less is not worth a word. */
const SHORT_MS = 100;

/** One tool call: verb, object → outcome; it changes in place. What failed and what was changed stands open. */
export function ToolCard(props: {
  readonly item: ToolItem;
  readonly cwd: string | undefined;
  readonly isLive: boolean;
  /** How much of its time was waiting for the owner's leave. */
  readonly waitedMs?: number;
  /** Calls that were made for it, at any depth. */
  readonly inside?: readonly ToolItem[];
  /** The request for leave that it did not get. */
  readonly refusal?: PermissionItem | undefined;
}) {
  const { item, cwd, waitedMs = 0, inside = [], refusal } = props;
  const sentence = refusal === undefined ? toToolSentence(item, cwd) : toRefusedSentence(item, refusal, cwd);
  const isOpen =
    item.status === 'failed' ||
    item.content.some((content) => content.type === 'diff') ||
    inside.some(({ status }) => status === 'failed');
  const body = hasToolBody(item) || inside.length > 0;
  return (
    <Sentence
      icon={<ToolIcon kind={item.toolKind} />}
      testId="tool-card"
      refs={item.refs}
      startsOpen={isOpen}
      note={<Took item={item} isLive={props.isLive} waitedMs={waitedMs} />}
      body={
        body
          ? () => (
              <>
                {inside.length > 0 && <CallsInside {...props} inside={inside} />}
                <ToolBody item={item} cwd={cwd} />
              </>
            )
          : undefined
      }
      data={{
        'data-refused': `${refusal !== undefined}`,
        'data-status': item.status,
        'data-kind': item.toolKind,
        'data-tool-call-id': item.toolCallId,
      }}
    >
      <span className={sentence.tone === 'muted' ? 'text-ink-3' : 'font-medium'}>{sentence.verb}</span>{' '}
      <span className={sentence.isCode ? 'font-mono text-code break-words' : 'break-words'}>
        <VisibleText text={sentence.object} max={MAX_OBJECT_CHARACTERS} />
      </span>{' '}
      {sentence.change !== undefined && <ChangeCount {...sentence.change} />}
      {sentence.outcome !== undefined && (
        <span className="text-ink-3">
          {' → '}
          <span className={sentence.tone === 'bad' ? 'font-medium text-bad' : ''}>{sentence.outcome}</span>
        </span>
      )}
      {inside.length > 0 && <Inside calls={inside} cwd={cwd} isLive={props.isLive} />}
      {item.late === true && <Late />}
    </Sentence>
  );
}

/** Deeper ones stand beside those above them: a narrow screen has no room for more steps. */
const MAX_DEPTH = 4;

/** The calls that were made for a call, each with those made for it. */
function CallsInside(props: {
  readonly item: ToolItem;
  readonly inside: readonly ToolItem[];
  readonly cwd: string | undefined;
  readonly isLive: boolean;
  readonly depth?: number;
}) {
  const { item, inside, cwd, isLive, depth = 1 } = props;
  const found = useFoundHere();
  const own = depth < MAX_DEPTH ? inside.filter((call) => call.parentToolCallId === item.toolCallId) : inside;
  return (
    <div className="calls-inside" data-testid="calls-inside">
      {own.map((call) => (
        <FoundHereContext key={call.id} value={found?.itemId === call.id ? found : undefined}>
          <ToolCard item={call} cwd={cwd} isLive={isLive} />
          {depth < MAX_DEPTH && inside.some((other) => other.parentToolCallId === call.toolCallId) && (
            <CallsInside {...props} item={call} depth={depth + 1} />
          )}
        </FoundHereContext>
      ))}
    </div>
  );
}

/** How many calls a call led to and, while it runs, the one that is being made. */
function Inside(props: {
  readonly calls: readonly ToolItem[];
  readonly cwd: string | undefined;
  readonly isLive: boolean;
}) {
  const open = props.isLive
    ? props.calls.findLast(({ status }) => status === 'in_progress' || status === 'pending')
    : undefined;
  const now = open === undefined ? undefined : toToolSentence(open, props.cwd);
  return (
    <span className="text-ink-3">
      · {plural(props.calls.length, 'call')}
      {now !== undefined && (
        <>
          , {now.verb.toLowerCase()} <VisibleText text={now.object} max={80} />
        </>
      )}
    </span>
  );
}

/** Several looks at files as one sentence. */
export function LooksCard(props: { readonly items: readonly ToolItem[]; readonly cwd: string | undefined }) {
  const { items, cwd } = props;
  const found = useFoundHere();
  const reads = items.filter((item) => item.toolKind === 'read').length;
  const searches = items.length - reads;
  const folder = commonFolder(items.flatMap((item) => item.locations.map(({ path }) => relativeTo(cwd, path))));
  const words = [reads > 0 && `Read ${plural(reads, 'file')}`, searches > 0 && plural(searches, 'search', 'searches')];
  return (
    <Sentence
      icon={<ToolIcon kind={reads > 0 ? 'read' : 'search'} />}
      testId="tool-group"
      refs={items.flatMap((item) => item.refs)}
      startsOpen={false}
      body={() =>
        items.map((item) => (
          <FoundHereContext key={item.id} value={found?.itemId === item.id ? found : undefined}>
            <ToolCard item={item} cwd={cwd} isLive={false} />
          </FoundHereContext>
        ))
      }
    >
      <span className="font-medium">{words.filter(Boolean).join(', ')}</span>
      {folder !== undefined && (
        <>
          <span className="text-ink-3"> in </span>
          <span className="font-mono text-code">
            <VisibleText text={folder} max={200} />
          </span>
        </>
      )}
    </Sentence>
  );
}

function Took(props: { readonly item: ToolItem; readonly isLive: boolean; readonly waitedMs: number }) {
  const { item, isLive } = props;
  const startedMs = parseTime(item.at);
  const start = startedMs === undefined ? undefined : startedMs + props.waitedMs;
  const end = parseTime(item.endedAt);
  const isOpen = item.status === 'pending' || item.status === 'in_progress';
  if (isOpen && isLive && start !== undefined) return <Running startMs={start} />;
  if (start === undefined || end === undefined || end - start < SHORT_MS) return null;
  return <span>{formatDuration(end - start)}</span>;
}

function Running({ startMs }: { readonly startMs: number }) {
  const now = useNow();
  return (
    <>
      <span className="sign running mr-1" />
      <span>{formatDuration(now - startMs)}</span>
    </>
  );
}

function Late() {
  return (
    <span className="text-s text-ink-3" title="It arrived after its turn had ended">
      {' '}
      · late
    </span>
  );
}
