// Bodies of other vendors' JSON APIs, whose ids can exceed what a JavaScript number holds.
import { joinBytes } from './bytes.ts';

/** Reads a response body. Throws if it exceeds `maxBytes`. */
export async function readLimited(response: Response, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.byteLength;
    if (length > maxBytes) throw new Error(`The response has more than ${maxBytes} bytes.`);
    parts.push(part);
  }
  return joinBytes(parts);
}

/** Like `parseJson`, but returns text that is no JSON unchanged. */
export function parseResponse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** Like `JSON.parse`, but returns integers that exceed the safe range, such as 64-bit ids, as strings. */
export function parseJson(text: string): unknown {
  return JSON.parse(
    text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
      /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
    ),
  );
}
