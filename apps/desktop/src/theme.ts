export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const ENTRY = 'heliograph.theme';

/** The look chosen in this browser; the system's without a choice. */
export function readTheme(): Theme {
  const kept = localStorage.getItem(ENTRY);
  return THEMES.find((theme) => theme === kept) ?? 'system';
}

/** Keeps the choice and applies it. */
export function writeTheme(theme: Theme): void {
  localStorage.setItem(ENTRY, theme);
  applyTheme(theme);
}

/** On <html>, so that dialogs in the top layer follow. */
export function applyTheme(theme: Theme): void {
  document.documentElement.classList.toggle('light', theme === 'light');
  document.documentElement.classList.toggle('dark', theme === 'dark');
}
