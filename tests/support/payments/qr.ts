// Reads a QR code from an SVG path of unit squares, as the package `qr` draws it.
import { bitmapOf, type Rectangle } from './read-pdf.ts';

/** The dark squares of the path. Each is positioned relative to the last one. */
export function squaresOfSvg(svg: string): Rectangle[] {
  const path = / d="([^"]+)"/.exec(svg)?.[1] ?? '';
  let x = 0;
  let y = 0;
  return [...path.matchAll(/([Mm])(-?[\d.]+)[ ,]?(-?[\d.]+)h1v1(?:H(-?[\d.]+)|h-1)Z/gi)].map(
    ([, move, dx, dy]) => {
      x = move === 'M' ? Number(dx) : x + Number(dx);
      y = move === 'M' ? Number(dy) : y + Number(dy);
      return { x, y: -y, width: 1, height: 1 };
    },
  );
}

/** Converts it to an image for a decoder. */
export const bitmapOfSvg = (svg: string) => bitmapOf(squaresOfSvg(svg));
