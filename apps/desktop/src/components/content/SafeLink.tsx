import { ArrowUpRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { toPlainLine } from '../../text/visible-text.ts';

/** Protocols a click may open. Everything else an agent writes stays text. */
const OPENABLE = new Set(['http:', 'https:', 'mailto:']);

/** Where a link leads when it may be opened, with what to show of it. */
export function readLink(href: string | undefined): { readonly href: string; readonly place: string } | undefined {
  if (href === undefined || !URL.canParse(href)) return undefined;
  const url = new URL(href);
  if (!OPENABLE.has(url.protocol)) return undefined;
  // The parsed host is in ASCII (punycode): look-alike letters show.
  return { href: url.href, place: url.protocol === 'mailto:' ? url.pathname : url.host };
}

/** A link of an agent: says where it goes, opens only by a click, tells the other side nothing. */
export function SafeLink(props: { readonly href: string | undefined; readonly children?: ReactNode }) {
  const link = readLink(props.href);
  if (link === undefined) {
    return (
      <span title={props.href === undefined ? undefined : `Not a link that can be opened: ${toPlainLine(props.href)}`}>
        {props.children}
      </span>
    );
  }
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer" title={toPlainLine(link.href)}>
      {props.children}
      {!includesText(props.children, link.place) && (
        <span className="text-ink-3"> ({toPlainLine(link.place, 80)})</span>
      )}
      <ArrowUpRight size={12} strokeWidth={1.6} className="ml-0.5 inline align-[-1px] text-ink-3" aria-hidden="true" />
    </a>
  );
}

function includesText(children: ReactNode, place: string): boolean {
  return typeof children === 'string' && children.replace(/^https?:\/\//, '').startsWith(place);
}
