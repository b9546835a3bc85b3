// Bytes of a request's body.

/** The body is larger than `maxBytes`. */
export class BodyTooLarge extends Error {}

/** Collects the chunks of a body. `add` throws `BodyTooLarge` at the first chunk above the limit. */
export function collectBody(maxBytes: number): {
  add(chunk: Uint8Array): void;
  bytes(): Uint8Array<ArrayBuffer>;
} {
  const chunks: Uint8Array[] = [];
  let length = 0;
  return {
    add(chunk) {
      length += chunk.length;
      if (length > maxBytes) throw new BodyTooLarge();
      chunks.push(chunk);
    },
    bytes: () => concat(chunks),
  };
}

export function concat(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined;
}
