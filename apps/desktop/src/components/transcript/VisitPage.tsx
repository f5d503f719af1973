import { ArrowUpRight } from 'lucide-react';
import { toPlainLine } from '../../text/visible-text.ts';
import { ScrollRegion } from '../content/ScrollRegion.tsx';
import { VisibleText } from '../content/VisibleText.tsx';

/** A page an agent wants visited: its host in real letters, its whole address, and a link that opens by hand only. */
export function VisitPage({ url, isVisited }: { readonly url: string; readonly isVisited: boolean }) {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isWeb = parsed !== undefined && (parsed.protocol === 'https:' || parsed.protocol === 'http:');
  return (
    <div className="stack mb-3 gap-2" data-testid="elicitation-page">
      <p>
        {isWeb ? (
          <>
            It asks you to visit <b>{toPlainLine(parsed.host, 300)}</b>
            {parsed.protocol === 'http:' && <span className="text-bad"> without encryption</span>}. Look at the address
            before you open it.
          </>
        ) : (
          'What it asks you to visit is no web page: it is not opened from here.'
        )}
        {isVisited && <span className="text-ink-2"> The agent says that it was visited.</span>}
      </p>
      <ScrollRegion className="code wrap max-h-32" label="The whole address">
        <VisibleText text={url} max={8_192} />
      </ScrollRegion>
      {isWeb && (
        <p>
          <a
            className="btn"
            href={parsed.href}
            target="_blank"
            rel="noopener noreferrer"
            data-testid="elicitation-open"
          >
            Open {toPlainLine(parsed.host, 80)}
            <ArrowUpRight size={13} strokeWidth={1.6} aria-hidden="true" />
          </a>
        </p>
      )}
    </div>
  );
}
