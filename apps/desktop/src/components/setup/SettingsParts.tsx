import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';

/** A part of the settings: one is shown at a time. */
export interface SettingsPart {
  readonly id: string;
  readonly name: string;
  readonly content: ReactNode;
}

/** Tabs beside the part that is shown; on a phone above it. Arrows go from tab to tab, which are one stop of the Tab key. */
export function SettingsParts({ parts }: { readonly parts: readonly SettingsPart[] }) {
  const [shown, setShown] = useState(parts[0]?.id);
  const tabs = useRef<HTMLDivElement>(null);
  const prefix = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const at = (parts.findIndex(({ id }) => id === shown) + by + parts.length) % parts.length;
    setShown(parts[at]?.id);
    const tab = tabs.current?.children[at];
    if (tab instanceof HTMLElement) tab.focus();
  };
  return (
    <div className="settings">
      <div ref={tabs} role="tablist" aria-label="Parts of the settings" className="settings-tabs" onKeyDown={onKeyDown}>
        {parts.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${prefix}-tab-${id}`}
            className="tab"
            aria-selected={id === shown}
            aria-controls={`${prefix}-${id}`}
            tabIndex={id === shown ? 0 : -1}
            data-testid={`settings-${id}`}
            onClick={() => setShown(id)}
          >
            {name}
          </button>
        ))}
      </div>
      {parts.map(({ id, content }) => (
        <div
          key={id}
          role="tabpanel"
          id={`${prefix}-${id}`}
          aria-labelledby={`${prefix}-tab-${id}`}
          hidden={id !== shown}
          className="settings-part"
        >
          {content}
        </div>
      ))}
    </div>
  );
}
