// What the commands of the payments API share: JSON input, amounts and status in tables.

import { readFileSync } from 'node:fs';
import { text as readText } from 'node:stream/consumers';
import { minorDigitsOf } from '../../../../shared/payments/formats/currencies.ts';
import { parseJson } from '../core/json.ts';
import type { WriteOptions } from '../payments.ts';
import type { Context } from './context.ts';
import { usageError } from './exit-codes.ts';
import { printable } from './output.ts';

/** Help of `--idempotency-key`. */
export const KEY_HELP = 'your own key: repeating the command with the same key has no second effect';

export interface KeyOption {
  idempotencyKey?: string;
}

export const writeOptions = ({ signal }: Context, { idempotencyKey }: KeyOption): WriteOptions => ({
  signal,
  ...(idempotencyKey !== undefined && { idempotencyKey }),
});

/** Parses the file or stdin. Reads stdin if `-` is given, or if there is no other input and stdin is not a terminal. */
export async function readJsonInput(
  file: string | undefined,
  { hasOtherInput, operation }: { hasOtherInput: boolean; operation: string },
): Promise<Record<string, unknown>> {
  const fromStdin = file === '-' || (file === undefined && !hasOtherInput && !process.stdin.isTTY);
  if (!fromStdin && file === undefined) return {};
  let text: string;
  try {
    text = fromStdin ? await readText(process.stdin) : readFileSync(file ?? '', 'utf8');
  } catch {
    throw usageError(`Cannot read ${file ?? 'stdin'}.`);
  }
  try {
    const content: unknown = parseJson(text);
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return { ...content };
  } catch {}
  throw usageError(`${fromStdin ? 'stdin' : file} must be a JSON object: the request body of ${operation}.`);
}

export const definedOnly = (members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

export const membersOf = (value: unknown): object =>
  typeof value === 'object' && value !== null ? value : {};

export function statusText({ out }: Context, status: string): string {
  const color = { paid: out.colors.green, open: out.colors.yellow }[status] ?? out.colors.red;
  return color(status);
}

export function money({ amount, currency }: { amount: number; currency: string }): string {
  try {
    const digits = minorDigitsOf(currency);
    const format = new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    return format.format(amount / 10 ** digits);
  } catch {
    return `${amount} ${printable(currency)}`;
  }
}
