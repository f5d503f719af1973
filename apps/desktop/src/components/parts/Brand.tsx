/** The mirror and its light: rays around a sun. */
export function BrandMark({ size = 20 }: { readonly size?: number }) {
  return (
    <svg viewBox="0 0 20 20" width={size} height={size} fill="none" aria-hidden="true">
      <circle cx="10" cy="10" r="4.2" fill="var(--sun)" />
      <path d="M10 1.2v3M10 15.8v3M1.2 10h3M15.8 10h3" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
    </svg>
  );
}
