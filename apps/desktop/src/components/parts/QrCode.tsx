import encodeQR from 'qr';
import { useMemo } from 'react';

/** Modules of quiet around the code: what the standard asks for. */
const BORDER = 4;

/** A text as a QR code, dark on white in any theme, since cameras expect that. Drawn from elements; no markup is made of text. */
export function QrCode(props: { readonly text: string; readonly label: string; readonly testId: string }) {
  const { size, path } = useMemo(() => draw(props.text), [props.text]);
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={props.label}
      shapeRendering="crispEdges"
      className="block h-auto w-full rounded-lg"
      data-testid={props.testId}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

/** Each run of dark modules in a row is one rectangle of the path. */
function draw(text: string): { readonly size: number; readonly path: string } {
  const rows = encodeQR(text, 'raw', { ecc: 'low', border: BORDER });
  let path = '';
  rows.forEach((row, y) => {
    row.forEach((isDark, x) => {
      if (!isDark || row[x - 1]) return;
      const end = row.indexOf(false, x);
      path += `M${x} ${y}h${(end < 0 ? row.length : end) - x}v1H${x}z`;
    });
  });
  return { size: rows.length, path };
}
