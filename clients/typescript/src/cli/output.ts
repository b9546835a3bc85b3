// What is printed: for people with colours and tables, for programs as JSON. Results go to stdout, everything else to stderr.
import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';

export interface OutputOptions {
  /** `--json` or `--no-json`; a terminal gets no JSON when neither is given. */
  json: boolean | undefined;
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '' && value !== '0';

export class Output {
  /** Whether a person reads it. */
  readonly human: boolean;
  readonly colors: ReturnType<typeof pc.createColors>;
  readonly #secrets = new Set<string>();

  constructor({ json }: OutputOptions) {
    const { FORCE_COLOR, NO_COLOR } = process.env;
    const forced = isSet(FORCE_COLOR);
    this.human = json === undefined ? process.stdout.isTTY === true || forced : !json;
    const plain = NO_COLOR !== undefined && NO_COLOR !== '';
    this.colors = pc.createColors(this.human && !plain && (forced || process.stdout.isTTY === true));
  }

  /** Whether progress may be drawn. */
  get animates(): boolean {
    return this.human && process.stderr.isTTY === true;
  }

  /** Has a text replaced wherever it would be printed. */
  hide(secret: string | undefined): void {
    if (secret) this.#secrets.add(secret);
  }

  /** A line for people; nothing where a program reads. */
  say(text: string): void {
    if (this.human) this.#write(process.stdout, text);
  }

  /** A line of JSON; nothing where a person reads. */
  json(value: unknown): void {
    if (!this.human) this.#write(process.stdout, JSON.stringify(value));
  }

  /** The same thing for either. */
  show(text: string, value: unknown): void {
    this.say(text);
    this.json(value);
  }

  /** What is no result: hints, warnings, what is going on. */
  note(text: string): void {
    this.#write(process.stderr, text);
  }

  warn(text: string): void {
    this.note(`${this.colors.yellow('warning:')} ${text}`);
  }

  /** A table for people, no wider than the terminal: the last column is wrapped. */
  async table(head: string[], rows: string[][]): Promise<void> {
    if (!this.human) return;
    const { default: Table } = await import('cli-table3');
    // Its own colours ignore ours, and NO_COLOR.
    const table = new Table({
      head: head.map((title) => this.colors.bold(title)),
      style: { head: [], border: [], compact: true },
      wordWrap: true,
      colWidths: columnWidths(rows, head, process.stdout.columns),
    });
    table.push(...rows);
    this.say(table.toString());
  }

  #write(stream: NodeJS.WriteStream, text: string): void {
    let shown = text;
    for (const secret of this.#secrets) shown = shown.replaceAll(secret, '[hidden]');
    stream.write(`${shown}\n`);
  }
}

const NARROWEST = 30;

/** Null for those that are as wide as what they have. */
function columnWidths(rows: string[][], head: string[], width: number | undefined): (number | null)[] {
  if (width === undefined) return [];
  const longest = (column: number) =>
    Math.max(...[head, ...rows].map((row) => stripVTControlCharacters(row[column] ?? '').length));
  // Two spaces and a border each.
  const others = head.slice(0, -1).map((_, column) => longest(column) + 3);
  const left = width - 1 - others.reduce((sum, one) => sum + one, 0);
  const last = head.length - 1;
  if (longest(last) + 3 <= left) return [];
  return [...others.map(() => null), Math.max(NARROWEST, left - 1)];
}

/** Text of somebody else's, without what moves a terminal's cursor or colours. */
export const printable = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
