// Drawing primitives for a one-page A4 PDF. Coordinates are in points from the top left corner. The PDF library is large and only
// loaded when a page is opened.
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

interface TextStyle {
  /** In points. Default: 9. */
  size?: number;
  bold?: boolean;
  align?: 'left' | 'right' | 'center';
}

export const A4 = { width: 595.28, height: 841.89 } as const;
export const MARGIN = 36;
const LINE_HEIGHT = 1.25;
const PADDING = 3;

type PdfLib = typeof import('@cantoo/pdf-lib');

/** Opens an empty page. `title` is the document title. */
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

  // The standard fonts support only WinAnsi and throw on other characters. Fall back to the base letter, then to `?`.
  #encodable(text: string): string {
    const drawable = (char: string) => this.#drawable.has(char.codePointAt(0) ?? 0);
    return Array.from(text.normalize('NFC').replace(/\s/g, ' '), (char) => {
      if (drawable(char)) return char;
      const [base = '?'] = char.normalize('NFKD');
      return drawable(base) ? base : '?';
    }).join('');
  }

  /** Draws one line, truncated with an ellipsis at `width`. `at` is its top left corner. */
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

  /** Draws wrapped text, truncated with an ellipsis at the end of the area. Returns the y below it. */
  paragraph(text: string, { x, y, width, height }: Area, style: TextStyle = {}): number {
    const size = style.size ?? 9;
    const font = style.bold ? this.#fonts.bold : this.#fonts.regular;
    const lines = text
      .split(/\r\n?|\n/)
      .flatMap((part) => wrap(this.#encodable(part), (line) => font.widthOfTextAtSize(line, size) <= width));
    const step = size * LINE_HEIGHT;
    const maxLines = Math.max(1, Math.floor(height / step));
    // Joining the remaining lines makes the last line too long, so that `line` truncates it with an ellipsis.
    const shown =
      lines.length > maxLines
        ? [...lines.slice(0, maxLines - 1), lines.slice(maxLines - 1).join(' ')]
        : lines;
    shown.forEach((line, i) => {
      this.line(line, { x, y: y + i * step }, width, style);
    });
    return y + shown.length * step;
  }

  /** Draws a bordered field with a small label above its value. */
  field(label: string, value: string, area: Area, style: TextStyle = {}): void {
    this.frame(area);
    const width = area.width - 2 * PADDING;
    this.line(label, { x: area.x + PADDING, y: area.y + PADDING }, width, { size: 6.5 });
    const y = area.y + PADDING + 9;
    this.paragraph(value, { x: area.x + PADDING, y, width, height: area.y + area.height - y - 1 }, style);
  }

  /** Draws a row of fields. `share` is a field's relative width. Returns the y below the row. */
  row(
    y: number,
    height: number,
    fields: readonly { label: string; value: string; share: number; style?: TextStyle }[],
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

  /** Draws a dashed cut line from margin to margin. */
  cutLine(y: number): void {
    this.#page.drawLine({
      start: { x: MARGIN, y: A4.height - y },
      end: { x: A4.width - MARGIN, y: A4.height - y },
      thickness: 0.6,
      dashArray: [4, 3],
    });
  }

  /** Fills black rectangles as one shape, so that neighbors join without seams. */
  fill(areas: readonly Area[]): void {
    const { fill, popGraphicsState, pushGraphicsState, rectangle } = this.#lib;
    const shapes: PDFOperator[] = areas.map(({ x, y, width, height }) =>
      rectangle(x, A4.height - y - height, width, height),
    );
    this.#page.pushOperators(pushGraphicsState(), ...shapes, fill(), popGraphicsState());
  }

  /** Draws a QR code without quiet zone. The caller must leave space around it. */
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

/** The longest prefix that fits, found by binary search. */
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

/** Wraps text at spaces. Splits words that are longer than a line. */
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
