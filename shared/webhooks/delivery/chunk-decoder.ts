// Decodes response bodies in chunked transfer coding.

/** Ends a body in chunked coding. */
const EMPTY_LINE = '\r\n\r\n';
const LINE_FEED = 10;

export function concat(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Decodes each byte to one character. */
export const asText = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

/**
 * Decodes chunked transfer coding (RFC 9112, section 7.1) while a body arrives. Decodes each chunk only once, because a receiver can send
 * thousands of chunks in as many packets.
 */
export class ChunkDecoder {
  readonly #chunks: Uint8Array[] = [];
  /** Where the first chunk begins that is not complete. */
  #at = 0;
  /** Whether the last chunk has arrived. */
  #ended = false;

  /** Whether the body is complete. `bytes`: all that has arrived. */
  isComplete(bytes: Uint8Array): boolean {
    // The last chunk, or the trailer fields that follow it, ends with an empty line.
    return asText(bytes.subarray(-EMPTY_LINE.length)) === EMPTY_LINE && this.#decode(bytes).ended;
  }

  /** The decoded body, up to where the response is incomplete or malformed. */
  bodyOf(bytes: Uint8Array): Uint8Array {
    const { rest } = this.#decode(bytes);
    return concat([...this.#chunks, rest]);
  }

  #decode(bytes: Uint8Array): { ended: boolean; rest: Uint8Array } {
    while (!this.#ended) {
      const lineEnd = bytes.indexOf(LINE_FEED, this.#at);
      const size = lineEnd < 0 ? Number.NaN : Number.parseInt(asText(bytes.subarray(this.#at, lineEnd)), 16);
      this.#ended = size === 0;
      if (!(size > 0)) break;
      const [start, end] = [lineEnd + 1, lineEnd + 1 + size];
      if (end > bytes.length) return { ended: false, rest: bytes.subarray(start) };
      this.#chunks.push(bytes.subarray(start, end));
      this.#at = end + 2;
    }
    return { ended: this.#ended, rest: new Uint8Array() };
  }
}
