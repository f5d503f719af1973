import type { RawItem } from '@heliograph/transcript';
import { Braces } from 'lucide-react';
import { JsonView } from '../content/JsonView.tsx';
import { VisibleText } from '../content/VisibleText.tsx';
import { Sentence } from './Sentence.tsx';

/** Something this viewer does not know: said so, and shown. */
export function RawRow({ item }: { readonly item: RawItem }) {
  return (
    <Sentence
      icon={<Braces size={15} strokeWidth={1.5} />}
      testId="raw-row"
      refs={item.refs}
      startsOpen={false}
      body={() => <JsonView title="As it was sent" json={item.json} />}
    >
      <span className="text-ink-2">
        Something this viewer does not know:{' '}
        <span className="font-mono text-code">
          <VisibleText text={item.label} max={200} />
        </span>
      </span>
    </Sentence>
  );
}
