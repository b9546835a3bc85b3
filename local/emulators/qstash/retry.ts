/** When a failed delivery is tried again. */
import { parseDurationMs } from '../durations.ts';

const DAY_MS = 86_400_000;
const MAX_EXPRESSION_LENGTH = 512;

/** Milliseconds to wait, from the number of retries made so far (0 after the first attempt). */
export type RetryDelay = (retried: number) => number;

const FUNCTIONS: Readonly<Record<string, (...values: number[]) => number>> = {
  abs: Math.abs,
  ceil: Math.ceil,
  exp: Math.exp,
  floor: Math.floor,
  max: Math.max,
  min: Math.min,
  pow: Math.pow,
  round: Math.round,
  sqrt: Math.sqrt,
};

/** The documented default, `min(86400, e^(2.5 n))` seconds for the nth retry. */
export const defaultRetryDelay: RetryDelay = (retried) =>
  Math.min(DAY_MS, 1000 * Math.round(Math.exp(2.5 * (retried + 1))));

/**
 * Reads an `Upstash-Retry-Delay` such as `min(60000, pow(2, retried) * 1000)`; the result is in milliseconds.
 * Delays end up between 0 and a day.
 *
 * @throws SyntaxError when the expression has anything but numbers, `retried`, + - * /, brackets and known functions
 */
export function parseRetryDelay(expression: string): RetryDelay {
  if (expression.length > MAX_EXPRESSION_LENGTH) throw new SyntaxError('retry delay expression is too long');
  const tokens = expression.match(/\d+(?:\.\d+)?|[a-z]+|\S/g) ?? [];
  let position = 0;

  const fail = (): never => {
    throw new SyntaxError(`invalid retry delay expression: unexpected ${tokens[position] ?? 'end'}`);
  };
  const accept = (...wanted: string[]): string | undefined => {
    const token = tokens[position];
    if (token === undefined || !wanted.includes(token)) return undefined;
    position += 1;
    return token;
  };
  const expect = (wanted: string): void => {
    if (accept(wanted) === undefined) fail();
  };

  function sum(): RetryDelay {
    let left = product();
    for (let sign = accept('+', '-'); sign !== undefined; sign = accept('+', '-')) {
      const [a, b] = [left, product()];
      left = sign === '+' ? (n) => a(n) + b(n) : (n) => a(n) - b(n);
    }
    return left;
  }

  function product(): RetryDelay {
    let left = factor();
    for (let sign = accept('*', '/'); sign !== undefined; sign = accept('*', '/')) {
      const [a, b] = [left, factor()];
      left = sign === '*' ? (n) => a(n) * b(n) : (n) => a(n) / b(n);
    }
    return left;
  }

  function factor(): RetryDelay {
    if (accept('-') !== undefined) {
      const value = factor();
      return (n) => -value(n);
    }
    if (accept('(') !== undefined) {
      const value = sum();
      expect(')');
      return value;
    }
    const token = tokens[position] ?? fail();
    position += 1;
    if (/^\d/.test(token)) return () => Number(token);
    if (token === 'retried') return (n) => n;
    return call(token);
  }

  function call(name: string): RetryDelay {
    const apply = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (apply === undefined) {
      position -= 1;
      return fail();
    }
    expect('(');
    const values = [sum()];
    while (accept(',') !== undefined) values.push(sum());
    expect(')');
    return (n) => apply(...values.map((value) => value(n)));
  }

  const delay = sum();
  if (position < tokens.length) fail();
  return (retried) => {
    const delayMs = delay(retried);
    return Number.isNaN(delayMs) ? 0 : Math.min(DAY_MS, Math.max(0, delayMs));
  };
}

/**
 * Milliseconds asked for by a `Retry-After` header: seconds, a duration or an HTTP date, at most a day.
 * Undefined when there is none that can be read.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const waitMs = /^\d+(\.\d+)?$/.test(text)
    ? Number(text) * 1000
    : (parseDurationMs(text) ?? Date.parse(text) - nowMs);
  return Number.isNaN(waitMs) ? undefined : Math.min(DAY_MS, Math.max(0, waitMs));
}
