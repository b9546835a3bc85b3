// JSON with integers that a `number` cannot hold, such as 64-bit ids in custom fields: these are `bigint`s.
// Node 20 has neither `JSON.rawJSON` nor the source text of numbers in revivers, so such integers pass through JSON as marked strings.

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Like `JSON.parse`, but integers beyond the safe range are `bigint`s. */
export function parseJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const mark = crypto.randomUUID();
  let marked = 0;
  const safe = text.replace(STRING_OR_NUMBER, (token) => {
    if (!/^-?\d{16,}$/.test(token) || Number.isSafeInteger(Number(token))) return token;
    marked += 1;
    return `"${mark}${token}"`;
  });
  if (marked === 0) return JSON.parse(text);
  return JSON.parse(safe, (_, value) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/** Like `JSON.stringify`, but `bigint`s are numbers. */
export function toJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch {
    // There is a `bigint`, or an error that occurs again.
  }
  const mark = crypto.randomUUID();
  const text = JSON.stringify(
    value,
    (_, member) => (typeof member === 'bigint' ? `${mark}${member}` : member),
    indent,
  );
  return text.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}
