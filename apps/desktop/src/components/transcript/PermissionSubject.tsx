import type { PermissionItem } from '@heliograph/transcript';
import { formatNumber } from '../../text/human.ts';
import { toPermissionQuestion } from '../../text/tool-sentence.ts';
import { JsonView } from '../content/JsonView.tsx';
import { ScrollRegion } from '../content/ScrollRegion.tsx';
import { VisibleText } from '../content/VisibleText.tsx';
import { ToolContentView } from './ToolBody.tsx';

/** More lines than are seen at once. */
const MANY_LINES = 12;

/** Everything the request carries: its subject in full first, in a box of its own, then the rest as it was sent. */
export function PermissionSubject(props: {
  readonly item: PermissionItem;
  readonly cwd: string | undefined;
  readonly isOpen: boolean;
}) {
  const { item, cwd } = props;
  const { subject } = toPermissionQuestion(item, cwd);
  const lines = subject.split('\n').length;
  // A change names its file itself, in full.
  const isShownByChange = item.content.some((content) => content.type === 'diff' && content.path === subject);
  // An agent's title may say another thing than its input: when it does, both are shown.
  const name = subject.slice(subject.lastIndexOf('/') + 1);
  const hasOtherTitle = item.title !== '' && !subject.includes(item.title) && !item.title.includes(name);
  return (
    <div className="my-2 stack gap-2">
      {hasOtherTitle && (
        <p className="text-ink-2">
          “<VisibleText text={item.title} max={1_000} />”
        </p>
      )}
      {subject === '' ? (
        item.content.length === 0 && <p className="text-ink-2">The agent gave no details.</p>
      ) : isShownByChange ? null : (
        <ScrollRegion
          className={`code wrap max-h-[38vh] rounded-md border bg-surface text-ink ${props.isOpen ? 'border-sun-line' : 'border-line'}`}
          label="What is asked about"
          testId="permission-subject"
        >
          <VisibleText text={subject} multiline max={200_000} />
        </ScrollRegion>
      )}
      {lines > MANY_LINES && (
        <p className="text-s text-ink-2">{formatNumber(lines)} lines: what matters may stand at the end.</p>
      )}
      {item.content.map((content, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: content is replaced as a whole
        <div key={at} className="max-h-[38vh] overflow-auto">
          <ToolContentView content={content} isCommand={false} cwd={undefined} />
        </div>
      ))}
      {item.rawInput !== undefined && item.rawInput !== '{}' && <JsonView title="Raw input" json={item.rawInput} />}
    </div>
  );
}
