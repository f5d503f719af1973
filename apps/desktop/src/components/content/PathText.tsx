import { VisibleText } from './VisibleText.tsx';

/** A path on one line; where it has no room it is cut before its last part, which tells most. */
export function PathText({ path }: { readonly path: string }) {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  const at = path.lastIndexOf('/', end - 1);
  return (
    <span className="flex min-w-0 font-mono text-ink-3" title={path}>
      {at > 0 && (
        <span className="truncate">
          <VisibleText text={path.slice(0, at)} max={200} />
        </span>
      )}
      <span className="max-w-full flex-none truncate">
        <VisibleText text={path.slice(Math.max(at, 0))} max={200} />
      </span>
    </span>
  );
}
