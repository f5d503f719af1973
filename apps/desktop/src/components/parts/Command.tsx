import { CopyButton } from './CopyButton.tsx';

/** A command or an address to take along. */
export function Command(props: { readonly text: string; readonly label: string; readonly testId?: string }) {
  return (
    <div className="frame flex items-start">
      <pre className="code wrap min-w-0 flex-1 select-all" data-testid={props.testId}>
        {props.text}
      </pre>
      <CopyButton text={() => props.text} label={props.label} />
    </div>
  );
}
