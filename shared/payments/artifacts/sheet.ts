// One A4 page of a PDF, in points from its top left corner, with the few things our documents are drawn of.
// The PDF library is large and only loaded when a page is opened.
import type { PDFDocument, PDFFont, PDFOperator, PDFPage } from '@cantoo/pdf-lib';
import { encodeQR } from 'qr';

export interface Point {
  x: number;
  y: number;
}

export interface Area extends Point {
  width: number;
  height: number;
}

export interface TextStyle {
  /** In points; 9 unless told. */
  size?: number;
  bold?: boolean;
  align?: 'left' | 'right' | 'center';
}

export const A4 = { width: 595.28, height: 841.89 } as const;
export const MARGIN = 36;
const LINE_HEIGHT = 1.25;
const PADDING = 3;

type PdfLib = typeof import('@cantoo/pdf-lib');

/** Opens an empty page; `title` is that of the document. */
export async function openSheet(title: string): Promise<Sheet> {
  const lib = await import('@cantoo/pdf-lib');
  const document = await lib.PDFDocument.create();
  document.setTitle(title);
  document.setLanguage('pt-BR');
  const regular = await document.embedFont(lib.StandardFonts.Helvetica);
  const bold = await document.embedFont(lib.StandardFonts.HelveticaBold);
  return new Sheet(lib, document, { regular, bold });
}

export class Sheet {
  readonly #lib: PdfLib;
  readonly #document: PDFDocument;
  readonly #page: PDFPage;
  readonly #fonts: { regular: PDFFont; bold: PDFFont };
  readonly #drawable: ReadonlySet<number>;

  constructor(lib: PdfLib, document: PDFDocument, fonts: { regular: PDFFont; bold: PDFFont }) {
    this.#lib = lib;
    this.#document = document;
    this.#fonts = fonts;
    this.#page = document.addPage([A4.width, A4.height]);
    this.#drawable = new Set(fonts.regular.getCharacterSet());
  }

  // The standard fonts know WinAnsi only and throw on the rest: fall back to the base letter, else to `?`.
  #encodable(text: string): string {
    const drawable = (char: string) => this.#drawable.has(char.codePointAt(0) ?? 0);
    return Array.from(text.normalize('NFC').replace(/\s/g, ' '), (char) => {
      if (drawable(char)) return char;
      const [base = '?'] = char.normalize('NFKD');
      return drawable(base) ? base : '?';
    }).join('');
  }

  /** One line within `width`, ending in an ellipsis when it is longer; `at` is its top left corner. */
  line(
    text: string,
    at: Point,
    width: number,
    { size = 9, bold = false, align = 'left' }: TextStyle = {},
  ): void {
    const font = bold ? this.#fonts.bold : this.#fonts.regular;
    const fits = (candidate: string) => font.widthOfTextAtSize(candidate, size) <= width;
    const whole = this.#encodable(text);
    const shown = fits(whole) ? whole : `${longestPrefix(whole, (prefix) => fits(`${prefix}…`))}…`;
    const slack = width - font.widthOfTextAtSize(shown, size);
    const shift = { left: 0, center: slack / 2, right: slack }[align];
    this.#page.drawText(shown, { x: at.x + shift, y: A4.height - at.y - size, size, font });
  }

  /** Text wrapped to the width of the area, cut with an ellipsis where the area ends; gives the y below it. */
  paragraph(text: string, { x, y, width, height }: Area, style: TextStyle = {}): number {
    const size = style.size ?? 9;
    const font = style.bold ? this.#fonts.bold : this.#fonts.regular;
    const lines = text
      .split(/\r\n?|\n/)
      .flatMap((part) => wrap(this.#encodable(part), (line) => font.widthOfTextAtSize(line, size) <= width));
    const step = size * LINE_HEIGHT;
    const room = Math.max(1, Math.floor(height / step));
    // Joined with the rest, the last line is too long and so gets its ellipsis.
    const shown =
      lines.length > room ? [...lines.slice(0, room - 1), lines.slice(room - 1).join(' ')] : lines;
    shown.forEach((line, i) => {
      this.line(line, { x, y: y + i * step }, width, style);
    });
    return y + shown.length * step;
  }

  /** A bordered field: a small label above its value. */
  field(label: string, value: string, area: Area, style: TextStyle = {}): void {
    this.frame(area);
    const width = area.width - 2 * PADDING;
    this.line(label, { x: area.x + PADDING, y: area.y + PADDING }, width, { size: 6.5 });
    const y = area.y + PADDING + 9;
    this.paragraph(value, { x: area.x + PADDING, y, width, height: area.y + area.height - y - 1 }, style);
  }

  /** A row of fields side by side; `share` is each one's part of the whole width. Gives the y below it. */
  row(
    fields: readonly { label: string; value: string; share: number; style?: TextStyle }[],
    y: number,
    height: number,
  ): number {
    const total = fields.reduce((sum, { share }) => sum + share, 0);
    let x = MARGIN;
    for (const { label, value, share, style } of fields) {
      const width = ((A4.width - 2 * MARGIN) * share) / total;
      this.field(label, value, { x, y, width, height }, style);
      x += width;
    }
    return y + height;
  }

  frame({ x, y, width, height }: Area): void {
    this.#page.drawRectangle({
      x,
      y: A4.height - y - height,
      width,
      height,
      borderColor: this.#lib.rgb(0, 0, 0),
      borderWidth: 0.6,
    });
  }

  /** A dashed line from margin to margin, along which to cut. */
  cutLine(y: number): void {
    this.#page.drawLine({
      start: { x: MARGIN, y: A4.height - y },
      end: { x: A4.width - MARGIN, y: A4.height - y },
      thickness: 0.6,
      dashArray: [4, 3],
    });
  }

  /** Black rectangles as one shape, so that neighbours join without seams. */
  fill(areas: readonly Area[]): void {
    const { fill, popGraphicsState, pushGraphicsState, rectangle } = this.#lib;
    const shapes: PDFOperator[] = areas.map(({ x, y, width, height }) =>
      rectangle(x, A4.height - y - height, width, height),
    );
    this.#page.pushOperators(pushGraphicsState(), ...shapes, fill(), popGraphicsState());
  }

  /** A QR code without quiet zone, for which the caller leaves room. */
  qr(payload: string, { x, y }: Point, size: number): void {
    // The library draws a border of at least one module.
    const rows = encodeQR(payload, 'raw', { ecc: 'medium', border: 1 }).slice(1, -1);
    const module = size / rows.length;
    this.fill(
      rows.flatMap((row, i) =>
        row
          .slice(1, -1)
          .flatMap((dark, j) =>
            dark ? [{ x: x + j * module, y: y + i * module, width: module, height: module }] : [],
          ),
      ),
    );
  }

  save(): Promise<Uint8Array> {
    return this.#document.save();
  }
}

/** The longest beginning that fits, by halving. */
function longestPrefix(text: string, fits: (prefix: string) => boolean): string {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(text.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, low);
}

/** Lines of whole words, or of pieces of a word that is longer than a line. */
function wrap(text: string, fits: (line: string) => boolean): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter(Boolean)) {
    const joined = line ? `${line} ${word}` : word;
    if (fits(joined)) {
      line = joined;
      continue;
    }
    if (line) lines.push(line);
    line = word;
    while (!fits(line)) {
      const piece = longestPrefix(line, fits) || line.slice(0, 1);
      lines.push(piece);
      line = line.slice(piece.length);
    }
  }
  return [...lines, line];
}
