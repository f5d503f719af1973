import { useLayoutEffect, useRef, useState } from 'react';

/** The parts of the settings by their headings; which of them are there depends on who serves the page. */
const PARTS = [
  ['Look', 'Look'],
  ['Calls', 'Call me when'],
  ['Archive', 'Archive'],
  ['Agents', 'Agents'],
  ['Relays', 'Relays'],
  ['Key', 'Your public key'],
] as const;

/** Leads to a part of the dialog it stands in, so that nobody scrolls for the last one. */
export function JumpBar() {
  const bar = useRef<HTMLDivElement>(null);
  const [there, setThere] = useState<readonly string[]>([]);
  const find = (heading: string) =>
    [...(bar.current?.closest('dialog')?.querySelectorAll<HTMLElement>('h3, legend') ?? [])].find(
      ({ textContent }) => textContent === heading,
    );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the parts are what they are once the dialog is open
  useLayoutEffect(() => {
    setThere(PARTS.flatMap(([name, heading]) => (find(heading) === undefined ? [] : [name])));
  }, []);
  const jump = (heading: string) => {
    const found = find(heading);
    if (found === undefined) return;
    found.tabIndex = -1;
    found.focus({ preventScroll: true });
    found.scrollIntoView({ block: 'start' });
  };
  return (
    <div ref={bar} className="jump-bar">
      {PARTS.filter(([name]) => there.includes(name)).map(([name, heading]) => (
        <button key={name} type="button" className="tab" onClick={() => jump(heading)}>
          {name}
        </button>
      ))}
    </div>
  );
}
