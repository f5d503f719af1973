export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
/** How close rows stand. */
export const DENSITIES = ['comfortable', 'compact'] as const;
export type Density = (typeof DENSITIES)[number];

/** How the page looks in this browser. */
export interface Look {
  readonly theme: Theme;
  readonly density: Density;
}

/** What was chosen in this browser; the system's colours and room to breathe without a choice. */
export function readLook(): Look {
  return { theme: chosen('heliograph.theme', THEMES), density: chosen('heliograph.density', DENSITIES) };
}

/** Keeps a choice and applies it. */
export function writeLook(change: Partial<Look>): Look {
  for (const [name, value] of Object.entries(change)) localStorage.setItem(`heliograph.${name}`, value);
  const look = { ...readLook(), ...change };
  applyLook(look);
  return look;
}

/** On <html>, so that dialogs in the top layer follow. */
export function applyLook({ theme, density }: Look): void {
  const { classList } = document.documentElement;
  classList.toggle('light', theme === 'light');
  classList.toggle('dark', theme === 'dark');
  classList.toggle('compact', density === 'compact');
}

function chosen<T extends string>(entry: string, values: readonly [T, ...T[]]): T {
  const kept = localStorage.getItem(entry);
  return values.find((value) => value === kept) ?? values[0];
}
