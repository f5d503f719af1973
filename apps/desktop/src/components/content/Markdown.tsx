import { type ComponentProps, memo, useState } from 'react';
import { type Components, Streamdown, type UrlTransform } from 'streamdown';
import { formatNumber } from '../../text/human.ts';
import { plainParagraphs } from '../../text/plain-paragraphs.ts';
import { splitMarkdown } from '../../text/split-markdown.ts';
import { toPlainLine } from '../../text/visible-text.ts';
import { useFoundIn } from '../find/use-found-in.ts';
import { CodeFence } from './CodeFence.tsx';
import { readLink, SafeLink } from './SafeLink.tsx';

/** Longer messages show their beginning until asked for more. */
const MAX_SHOWN_CHARACTERS = 120_000;

/**
 * What an agent writes, as Markdown. Raw HTML comes out as the text it is: without a plugin that parses it and with a
 * `urlTransform`, streamdown turns it into text nodes. Images are named, never fetched.
 */
export const Markdown = memo(function Markdown(props: { readonly text: string; readonly isStreaming: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const isFoundBelow = useFoundIn(props.text) >= MAX_SHOWN_CHARACTERS;
  const isCut = props.text.length > MAX_SHOWN_CHARACTERS && !isWhole && !isFoundBelow;
  const pieces = splitMarkdown(isCut ? props.text.slice(0, MAX_SHOWN_CHARACTERS) : props.text);
  return (
    <>
      {pieces.map((piece, at) => (
        <MarkdownPiece
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text that only grows keep their places
          key={at}
          text={piece}
          isStreaming={props.isStreaming && at === pieces.length - 1}
        />
      ))}
      {isCut && (
        <button type="button" className="link text-s" onClick={() => setWhole(true)}>
          Show all {formatNumber(props.text.length)} characters
        </button>
      )}
    </>
  );
});

const MarkdownPiece = memo(function MarkdownPiece(props: { readonly text: string; readonly isStreaming: boolean }) {
  // Most of what agents say is sentences: of those nothing is parsed.
  const paragraphs = plainParagraphs(props.text);
  if (paragraphs !== undefined) {
    return (
      <div className="prose">
        {paragraphs.map((paragraph, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs of a text that only grows keep their places
          <p key={at}>{paragraph}</p>
        ))}
      </div>
    );
  }
  return (
    <Streamdown
      className="prose"
      mode={props.isStreaming ? 'streaming' : 'static'}
      components={COMPONENTS}
      rehypePlugins={NO_PLUGINS}
      urlTransform={keepKnownUrls}
      linkSafety={NO_DIALOG}
      controls={false}
    >
      {props.text}
    </Streamdown>
  );
});

const NO_PLUGINS: NonNullable<ComponentProps<typeof Streamdown>['rehypePlugins']> = [];
const NO_DIALOG = { enabled: false };

const keepKnownUrls: UrlTransform = (url, key) => {
  if (key === 'href') return readLink(url)?.href ?? null;
  return key === 'src' ? url : null;
};

function NamedImage(props: { readonly source: string; readonly name: string }) {
  return (
    <span className="text-ink-2">
      [image: {toPlainLine(props.name, 120)}; not loaded
      {readLink(props.source) !== undefined && (
        <>
          {' · '}
          <SafeLink href={props.source}>{toPlainLine(props.source, 120)}</SafeLink>
        </>
      )}
      ]
    </span>
  );
}

/** Plain elements, styled by `.prose`; stable, so that finished blocks are not drawn again. */
const COMPONENTS: Components = {
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  img: ({ src, alt }) => <NamedImage source={typeof src === 'string' ? src : ''} name={alt || 'no description'} />,
  // An entry of a task list: its state as a sign, not as a box that can't be ticked.
  input: ({ checked }) => (
    <span className="mr-1 text-ink-3">
      <span aria-hidden="true">{checked ? '✓' : '○'}</span>
      <span className="sr-only">{checked ? 'done: ' : 'to do: '}</span>
    </span>
  ),
  pre: ({ children }) => <CodeFence>{children}</CodeFence>,
  code: 'code',
  table: ({ children }) => (
    <div className="table">
      <table>{children}</table>
    </div>
  ),
  h1: 'h1',
  h2: 'h2',
  h3: 'h3',
  h4: 'h4',
  h5: 'h5',
  h6: 'h6',
  p: 'p',
  ul: 'ul',
  ol: 'ol',
  li: 'li',
  hr: 'hr',
  strong: 'strong',
  blockquote: 'blockquote',
  thead: 'thead',
  tbody: 'tbody',
  tr: 'tr',
  th: 'th',
  td: 'td',
  sub: 'sub',
  sup: 'sup',
  section: 'section',
};
