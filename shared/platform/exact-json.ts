// JSON with integers that a double cannot hold, such as 64-bit ids of other systems: their digits are kept in free-form objects.
// Requests are parsed to plain numbers, because the rules of all other fields expect those, and the digits are remembered.

/** Parts of JSON that TypeScript does not declare yet: every Deno that runs functions has them. Node 20, which runs the tests, reads doubles. */
interface ModernJson {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
  parse(
    text: string,
    reviver: (this: object, name: string, value: unknown, context?: { source?: string }) => unknown,
  ): unknown;
}
const json = JSON as unknown as ModernJson;

const MAX_EXACT_DIGITS = 15;

/** Whether this is a number that `JSON.stringify` writes digit by digit. It is an object, but has no members to read. */
export const isExactNumber = (value: object): boolean => json.isRawJSON?.(value) ?? false;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Whether the text has more than 15 digits in a row. Reads one of 16 characters, so that parsing costs nothing more without them. */
function hasLongNumber(text: string): boolean {
  for (let i = MAX_EXACT_DIGITS; i < text.length; i += MAX_EXACT_DIGITS + 1) {
    if (!isDigit(text.charCodeAt(i))) continue;
    let [start, end] = [i, i + 1];
    while (isDigit(text.charCodeAt(start - 1))) start--;
    while (isDigit(text.charCodeAt(end))) end++;
    // Neither the digits of a text, such as those of a barcode, nor decimals.
    if (end - start > MAX_EXACT_DIGITS && !/[".]/.test(text[start - 1] ?? '')) return true;
  }
  return false;
}

/** The digits of an integer, if the number has others. Integers beyond the range of doubles are rejected elsewhere. */
function otherDigits(value: unknown, source: string | undefined): string | undefined {
  if (typeof value !== 'number' || source === undefined || !/^-?\d{16,}$/.test(source)) return undefined;
  return Number.isFinite(value) && String(value) !== source ? source : undefined;
}

/** Parses JSON of the database. */
export function parseStoredJson(text: string): unknown {
  if (!hasLongNumber(text)) return JSON.parse(text);
  return json.parse(text, (_, value, { source } = {}) => {
    const digits = otherDigits(value, source);
    return digits === undefined ? value : json.rawJSON(digits);
  });
}

/** The digits of imprecise numbers in requests, by the object or array that contains them and their name or index. */
const remembered = new WeakMap<object, Map<string, string>>();

/** Parses JSON of a request, and remembers the digits of imprecise numbers for `withExactNumbers`. */
export function parseSentJson(text: string): unknown {
  if (!hasLongNumber(text)) return JSON.parse(text);
  return json.parse(text, function (name, value, { source } = {}) {
    const digits = otherDigits(value, source);
    if (digits !== undefined) remembered.set(this, (remembered.get(this) ?? new Map()).set(name, digits));
    return value;
  });
}

/** The digits of a member, if its number is imprecise. */
export const exactDigits = (parent: object, name: string): string | undefined =>
  remembered.get(parent)?.get(name);

/** Replaces imprecise numbers in this part of a request by their digits, in place. */
export function withExactNumbers<T>(value: T): T {
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value;
  // Members by name or index.
  const members = value as Record<string, unknown>;
  for (const [name, digits] of remembered.get(value) ?? []) members[name] = json.rawJSON(digits);
  for (const member of Object.values(members)) withExactNumbers(member);
  return value;
}
