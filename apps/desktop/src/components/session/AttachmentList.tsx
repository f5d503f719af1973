import { X } from 'lucide-react';
import { formatBytes } from '../../text/human.ts';
import type { Attachment } from '../../text/prompt-blocks.ts';
import { VisibleText } from '../content/VisibleText.tsx';

/** What goes with the prompt that is being typed. */
export function AttachmentList(props: {
  readonly attachments: readonly Attachment[];
  readonly onRemove: (id: number) => void;
}) {
  if (props.attachments.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2 pb-2" aria-label="Goes with the prompt">
      {props.attachments.map(({ id, name, kind, mimeType, data }) => (
        <li
          key={id}
          className="inline-flex max-w-full items-center gap-2 rounded-md border border-line px-2 py-1 text-s"
          data-testid="attachment"
        >
          {kind === 'image' && (
            <img src={`data:${mimeType};base64,${data}`} alt="" className="h-6 max-w-12 rounded-sm object-cover" />
          )}
          <span className="min-w-0 truncate">
            <VisibleText text={name} max={80} />
          </span>
          <span className="flex-none text-ink-3">
            {formatBytes(kind === 'text' ? data.length : Math.floor((data.length * 3) / 4))}
          </span>
          <button
            type="button"
            className="link flex-none"
            aria-label={`Leave out ${name}`}
            onClick={() => props.onRemove(id)}
          >
            <X size={13} strokeWidth={1.8} />
          </button>
        </li>
      ))}
    </ul>
  );
}
