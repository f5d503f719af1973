import { Needle } from '@heliograph/transcript';
import { useMemo } from 'react';
import { layOutJson } from '../../text/json-layout.ts';
import { useFoundHere } from '../find/found-context.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { BoundedText } from './BoundedText.tsx';

/** JSON text, laid out but token for token as it was on the wire; folded until opened. */
export function JsonView(props: { readonly title: string; readonly json: string }) {
  const found = useFoundHere();
  const isFound = useMemo(() => found !== undefined && new Needle(found.needle).isIn(props.json), [found, props.json]);
  return (
    <details className="group text-s" open={isFound || undefined}>
      <summary className="max-md:-my-3 max-md:py-3 w-fit cursor-pointer rounded px-1 md:py-0.5 text-ink-3 hover:text-ink">
        {props.title}
      </summary>
      <div className="frame mt-1">
        <LaidOut json={props.json} title={props.title} />
        <div className="flex justify-end px-1 pb-1 text-ink-3">
          <CopyButton text={() => props.json} label={`Copy: ${props.title}`} />
        </div>
      </div>
    </details>
  );
}

function LaidOut({ json, title }: { readonly json: string; readonly title: string }) {
  const text = useMemo(() => layOutJson(json), [json]);
  return <BoundedText text={text} label={title} />;
}
