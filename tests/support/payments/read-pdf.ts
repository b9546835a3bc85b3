// Reads the texts and filled rectangles of our PDFs from their content streams.
import { decodePDFRawStream, PDFArray, PDFDocument, PDFRawStream } from '@cantoo/pdf-lib';

interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface ReadPdf {
  pages: number;
  texts: string[];
  /** Rectangles of each fill operation, in points from the lower left corner. */
  fills: Rectangle[][];
}

export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  const document = await PDFDocument.load(bytes);
  const contents = document.getPage(0).node.Contents();
  const streams =
    contents instanceof PDFArray ? contents.asArray().map((ref) => document.context.lookup(ref)) : [contents];
  const operators = streams
    .map((stream) => {
      if (!(stream instanceof PDFRawStream)) throw new Error('not a stream');
      return Buffer.from(decodePDFRawStream(stream).decode()).toString('latin1');
    })
    .join('\n');
  const texts = [...operators.matchAll(/<([0-9A-Fa-f]*)> Tj/g)].map(([, hex = '']) =>
    // Of the characters of WinAnsi beyond Latin-1, tests use only the ellipsis.
    Buffer.from(hex, 'hex').toString('latin1').replaceAll('\u0085', '…'),
  );
  const fills = [...operators.matchAll(/((?:[-\d.]+ [-\d.]+ [-\d.]+ [-\d.]+ re\s+)+)f/g)].map(
    ([, shapes = '']) =>
      shapes
        .trim()
        .split(/\s*re\s*/)
        .filter(Boolean)
        .map((shape) => {
          const [x = 0, y = 0, width = 0, height = 0] = shape.split(' ').map(Number);
          return { x, y, width, height };
        }),
  );
  return { pages: document.getPageCount(), texts, fills };
}

/** An RGBA image of dark squares, with a light border four squares wide. */
export function bitmapOf(modules: readonly Rectangle[], scale = 4) {
  const unit = Math.min(...modules.map(({ width }) => width));
  const left = Math.min(...modules.map(({ x }) => x));
  const top = Math.max(...modules.map(({ y }) => y));
  const cells = modules.map(({ x, y }) => ({
    column: Math.round((x - left) / unit) + 4,
    row: Math.round((top - y) / unit) + 4,
  }));
  const size = (Math.max(...cells.map(({ column }) => column)) + 5) * scale;
  const data = new Uint8Array(size * size * 4).fill(255);
  for (const { column, row } of cells)
    for (let i = 0; i < scale * scale; i++) {
      const pixel = (row * scale + Math.floor(i / scale)) * size + column * scale + (i % scale);
      data.fill(0, pixel * 4, pixel * 4 + 3);
    }
  return { width: size, height: size, data };
}

/** The digits of an Interleaved 2 of 5 symbol, from the weights 1, 2, 4, 7 and parity of its wide elements. */
export function decode2of5(bars: readonly Rectangle[]): string {
  const sorted = [...bars].sort((a, b) => a.x - b.x);
  const threshold = 2 * Math.min(...sorted.map(({ width }) => width));
  const wide: boolean[] = sorted.flatMap((bar, i) => {
    const next = sorted[i + 1];
    return next ? [bar.width > threshold, next.x - bar.x - bar.width > threshold] : [bar.width > threshold];
  });
  if (String(wide.slice(0, 4)) !== 'false,false,false,false') throw new Error('no start pattern');
  if (String(wide.slice(-3)) !== 'true,false,false') throw new Error('no stop pattern');
  const body = wide.slice(4, -3);
  const digits: number[] = [];
  for (let at = 0; at < body.length; at += 10)
    for (const offset of [0, 1]) {
      const elements = [0, 2, 4, 6, 8].map((i) => body[at + offset + i] ?? false);
      if (elements.filter(Boolean).length !== 2) throw new Error('not two wide elements of five');
      const sum = [1, 2, 4, 7, 0].reduce((total, weight, i) => total + (elements[i] ? weight : 0), 0);
      digits.push(sum === 11 ? 0 : sum);
    }
  return digits.join('');
}
