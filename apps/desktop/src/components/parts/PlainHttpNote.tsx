/** Where the page came over plain http from another machine, browsers withhold things: said once, quietly. */
export function PlainHttpNote() {
  if (globalThis.isSecureContext) return null;
  return (
    <p className="text-s text-ink-3" data-testid="plain-http">
      Over plain http this browser gives no notifications and no installing, and others on the network could change the
      page; all else works.
    </p>
  );
}
