// Output: colors and tables for people, JSON for programs. Results go to stdout, everything else to stderr.

import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';
import { toJson } from '../core/json.ts';

export interface OutputOptions {
  /** `--json` or `--no-json`. If neither is given, a terminal gets text. */
  json: boolean | undefined;
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '' && value !== '0';

export class Output {
  /** Whether the output is for a person. */
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

  /** Whether to draw progress bars. */
  get animates(): boolean {
    return this.human && process.stderr.isTTY === true;
  }

  /** Replaces the text wherever it would be printed. */
  hide(secret: string | undefined): void {
    if (secret) this.#secrets.add(secret);
  }

  /** Prints a line for people; nothing in JSON mode. */
  say(text: string): void {
    if (this.human) this.#write(process.stdout, text);
  }

  /** Prints a line of JSON; nothing in text mode. */
  json(value: unknown): void {
    if (!this.human) this.#write(process.stdout, printable(toJson(value)));
  }

  /** Prints the text or the value, depending on the mode. */
  show(text: string, value: unknown): void {
    this.say(text);
    this.json(value);
  }

  /** Prints hints, warnings and status to stderr. */
  note(text: string): void {
    this.#write(process.stderr, text);
  }

  warn(text: string): void {
    this.note(`${this.colors.yellow('warning:')} ${text}`);
  }

  /** Prints a table no wider than the terminal. Wraps the last column. */
  async table(head: string[], rows: string[][]): Promise<void> {
    if (!this.human) return;
    const { default: Table } = await import('cli-table3');
    // The table's own colors ignore our setting and NO_COLOR.
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
    let shown = text.replace(FOREIGN_CONTROL, escaped);
    for (const secret of this.#secrets) shown = shown.replaceAll(secret, '[hidden]');
    stream.write(`${shown}\n`);
  }
}

/** Control characters that are neither line ends, tabs nor our own colors: they come from servers, databases and names of files. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colors begin with one
const FOREIGN_CONTROL = /(?!\u001b\[(?:[12]|22|3[1-6]|39|90)m|[\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

const NARROWEST = 30;

/** Column widths; null for columns as wide as their content. */
function columnWidths(rows: string[][], head: string[], width: number | undefined): (number | null)[] {
  if (width === undefined) return [];
  const longest = (column: number) =>
    Math.max(...[head, ...rows].map((row) => stripVTControlCharacters(row[column] ?? '').length));
  // Two spaces and a border per column.
  const others = head.slice(0, -1).map((_, column) => longest(column) + 3);
  const left = width - 1 - others.reduce((sum, one) => sum + one, 0);
  const last = head.length - 1;
  if (longest(last) + 3 <= left) return [];
  return [...others.map(() => null), Math.max(NARROWEST, left - 1)];
}

/** Escapes control characters in untrusted text, so that it cannot move the cursor or change colors. The result is valid within JSON. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, escaped);

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
