import type { Part } from '@heliograph/transcript';
import { formatBytes } from '../../text/human.ts';
import { BoundedText } from './BoundedText.tsx';
import { JsonView } from './JsonView.tsx';
import { Markdown } from './Markdown.tsx';
import { readLink, SafeLink } from './SafeLink.tsx';
import { VisibleText } from './VisibleText.tsx';

/** Pictures a browser draws without running anything: no SVG. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const SOUNDS = new Set(['audio/wav', 'audio/mpeg', 'audio/ogg', 'audio/webm', 'audio/mp4']);
const MAX_MEDIA_CHARACTERS = 16_000_000;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** One content block of a message or a tool call. */
export function PartView(props: { readonly part: Part; readonly isStreaming?: boolean }) {
  const { part } = props;
  switch (part.type) {
    case 'text':
      return <Markdown text={part.text} isStreaming={props.isStreaming ?? false} />;
    case 'image':
    case 'audio':
      return <Media part={part} />;
    case 'link':
      return (
        <p className="text-l">
          <SafeLink href={part.uri}>
            <VisibleText text={part.title ?? part.name} />
          </SafeLink>
          {readLink(part.uri) === undefined && (
            <span className="font-mono text-s text-ink-3">
              {' '}
              <VisibleText text={part.uri} />
            </span>
          )}
          {part.size !== undefined && <span className="text-s text-ink-3"> · {formatBytes(part.size)}</span>}
        </p>
      );
    case 'resource':
      return (
        <div className="frame">
          <div className="bar">
            <span className="font-mono">
              <VisibleText text={part.uri} />
            </span>
          </div>
          {part.text !== undefined ? (
            <BoundedText text={part.text} label="Resource" />
          ) : (
            <p className="px-3 py-2 text-s text-ink-2">
              {formatBytes(((part.blob?.length ?? 0) * 3) / 4)} of {part.mimeType ?? 'unnamed'} data
            </p>
          )}
        </div>
      );
    case 'other':
      return <JsonView title="Content of a kind this viewer does not know" json={part.json} />;
  }
}

function Media({ part }: { readonly part: Extract<Part, { type: 'image' | 'audio' }> }) {
  const isKnown = part.type === 'image' ? PICTURES.has(part.mimeType) : SOUNDS.has(part.mimeType);
  if (!isKnown || part.data.length > MAX_MEDIA_CHARACTERS || !BASE64.test(part.data)) {
    return (
      <p className="text-s text-ink-2">
        {part.type === 'image' ? 'An image' : 'A recording'} ({part.mimeType}, {formatBytes((part.data.length * 3) / 4)}
        ) that is not drawn here. The raw lines hold it.
      </p>
    );
  }
  const source = `data:${part.mimeType};base64,${part.data}`;
  if (part.type === 'image') {
    return (
      <img src={source} alt="Sent in the conversation" className="max-h-96 max-w-full rounded-md border border-line" />
    );
  }
  // biome-ignore lint/a11y/useMediaCaption: an agent sends none
  return <audio src={source} controls className="w-full" />;
}
