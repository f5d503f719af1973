/** Browsers by what only they say of themselves; the others say Chrome or Safari as well. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** A device in the owner's words, like `Chrome on Linux (3f2a)`: by the browser's user agent, and by digits of its id where two are alike. */
export function deviceName(userAgent: string, viewerId: string): string {
  const find = (table: typeof BROWSERS) => table.find(([shape]) => shape.test(userAgent))?.[1];
  const words = [find(BROWSERS) ?? 'a browser', find(SYSTEMS)].filter((word) => word !== undefined).join(' on ');
  const digits = /^[0-9a-f]{4}/i.exec(viewerId)?.[0];
  return digits === undefined ? words : `${words} (${digits})`;
}
