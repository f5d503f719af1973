import { useState } from 'react';
import { DENSITIES, type Density, readLook, THEMES, type Theme, writeLook } from '../../look.ts';

const THEME_WORDS: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' };
const DENSITY_WORDS: Readonly<Record<Density, string>> = { comfortable: 'Comfortable', compact: 'Compact' };

/** How the page looks in this browser: its colours, and how close its rows stand. */
export function LookChoices() {
  const [look, setLook] = useState(readLook);
  return (
    <div className="stack gap-2">
      <Segments
        name="theme"
        legend="Look"
        values={THEMES}
        words={THEME_WORDS}
        chosen={look.theme}
        onChoose={(theme) => setLook(writeLook({ theme }))}
      />
      <Segments
        name="density"
        legend="Rows"
        values={DENSITIES}
        words={DENSITY_WORDS}
        chosen={look.density}
        onChoose={(density) => setLook(writeLook({ density }))}
      />
    </div>
  );
}

function Segments<T extends string>(props: {
  readonly name: string;
  readonly legend: string;
  readonly values: readonly T[];
  readonly words: Readonly<Record<T, string>>;
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
}) {
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{props.legend}</legend>
      <div className="flex gap-2">
        {props.values.map((value) => (
          <label
            key={value}
            className="btn flex-1 has-checked:border-ink has-checked:bg-sunken has-focus-visible:outline-2 has-focus-visible:outline-focus"
          >
            <input
              type="radio"
              name={props.name}
              className="sr-only"
              checked={props.chosen === value}
              data-testid={`${props.name}-${value}`}
              onChange={() => props.onChoose(value)}
            />
            {props.words[value]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
