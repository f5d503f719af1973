import { VisibleText } from '../content/VisibleText.tsx';

/** Why the page has come no further. */
export function Problem({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p
      className="mb-3 rounded-lg border border-bad-line bg-bad-wash px-3 py-2 text-bad"
      role="alert"
      data-testid="problem"
    >
      <VisibleText text={text} max={400} />
    </p>
  );
}
