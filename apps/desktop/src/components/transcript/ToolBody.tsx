import type { ToolContent, ToolItem } from '@heliograph/transcript';
import { relativeTo } from '../../text/tool-sentence.ts';
import { DiffView } from '../content/DiffView.tsx';
import { JsonView } from '../content/JsonView.tsx';
import { PartView } from '../content/PartView.tsx';
import { TerminalView } from '../content/TerminalView.tsx';
import { VisibleText } from '../content/VisibleText.tsx';
import { toOutputText } from './output-text.ts';

/** Whether there is anything to open a card for. */
export function hasToolBody(item: ToolItem): boolean {
  return (
    item.content.length > 0 ||
    item.terminal !== undefined ||
    item.locations.length > 0 ||
    isTold(item.rawInput) ||
    isTold(item.rawOutput)
  );
}

/** Everything a call carried: changes, output, places, and what went in and out as it was written. */
export function ToolBody({ item, cwd }: { readonly item: ToolItem; readonly cwd: string | undefined }) {
  const output = item.terminal?.output;
  return (
    <>
      {output !== undefined && <TerminalView output={output} />}
      {item.content.map((content, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: content is replaced as a whole
        <ToolContentView key={at} content={content} isCommand={item.toolKind === 'execute'} cwd={cwd} />
      ))}
      {item.locations.length > 1 && (
        <ul className="font-mono text-code text-ink-2">
          {item.locations.slice(0, 50).map((location, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: locations are replaced as a whole
            <li key={at}>
              <VisibleText text={relativeTo(cwd, location.path)} />
              {location.line !== undefined && `:${location.line}`}
            </li>
          ))}
        </ul>
      )}
      <div className="folds">
        {isTold(item.rawInput) && <JsonView title="Raw input" json={item.rawInput} />}
        {isTold(item.rawOutput) && <JsonView title="Raw output" json={item.rawOutput} />}
      </div>
    </>
  );
}

/** One content entry of a call or of a permission request. */
export function ToolContentView(props: {
  readonly content: ToolContent;
  readonly isCommand: boolean;
  readonly cwd: string | undefined;
}) {
  const { content, cwd } = props;
  switch (content.type) {
    case 'diff':
      return <DiffView change={content} cwd={cwd} />;
    case 'content':
      // What a command printed is terminal output, also when an agent wraps it in a code fence.
      if (props.isCommand && content.part.type === 'text') {
        return <TerminalView output={toOutputText(content.part.text)} />;
      }
      return <PartView part={content.part} />;
    case 'terminal':
      return null; // Its output is the item's `terminal`.
    case 'other':
      return <JsonView title="Content of a kind this viewer does not know" json={content.json} />;
  }
}

function isTold(json: string | undefined): json is string {
  return json !== undefined && json !== '{}' && json !== 'null';
}
