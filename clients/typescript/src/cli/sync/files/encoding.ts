// Finds the encoding of a text file, and reads it as UTF-8 from any byte.
import { createReadStream, readFileSync } from 'node:fs';
import { usageError } from '../../exit-codes.ts';

export interface Text {
  /** Name of the encoding in the file. */
  encoding: string;
  /** Length in bytes of UTF-8. */
  read(fromByte: number): AsyncIterable<Buffer>;
  /** Number of bytes of the byte order mark in UTF-8. */
  markBytes: number;
}

const LEGACY = 'windows-1252';
const CHUNK_BYTES = 64 * 1024;
const UTF8_MARK = 'efbbbf';

/**
 * Opens the text in the given encoding, or in the one that its bytes prove: a byte order mark, the zero bytes of UTF-16, or UTF-8. A file
 * without any of these is Windows-1252, which Excel writes as "CSV". Statistics about letters are not used: they mistake short files.
 */
export async function openText(path: string, sample: Buffer, wanted: string | undefined): Promise<Text> {
  const encoding =
    nameOf(wanted) ?? markedEncoding(sample) ?? utf16Encoding(sample) ?? (await unmarked(path));
  if (encoding !== 'utf-8') {
    const decoder = new TextDecoder(encoding);
    // Node 20 reads the bytes 80 to 9F of Windows-1252 as Latin-1, unless it decodes a stream.
    const content = Buffer.from(decoder.decode(readFileSync(path), { stream: true }) + decoder.decode());
    return {
      encoding,
      markBytes: 0,
      read: async function* (from) {
        for (let at = from; at < content.length; at += CHUNK_BYTES)
          yield content.subarray(at, at + CHUNK_BYTES);
      },
    };
  }
  const markBytes = sample.toString('hex', 0, 3) === UTF8_MARK ? 3 : 0;
  return { encoding, markBytes, read: (start) => createReadStream(path, { start }) };
}

function nameOf(wanted: string | undefined): string | undefined {
  if (wanted === undefined) return undefined;
  try {
    return new TextDecoder(wanted).encoding;
  } catch {
    throw usageError(
      `--encoding ${wanted}: unknown encoding. Use a name such as utf-8, utf-16le or windows-1252.`,
    );
  }
}

function markedEncoding(sample: Buffer): string | undefined {
  if (sample.toString('hex', 0, 3) === UTF8_MARK) return 'utf-8';
  return { fffe: 'utf-16le', feff: 'utf-16be' }[sample.toString('hex', 0, 2)];
}

/** Texts have no zero bytes, except every second one of ASCII in UTF-16. */
function utf16Encoding(sample: Buffer): string | undefined {
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries())
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (even + odd < sample.length / 4) return undefined;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

/** UTF-8, unless the file has bytes that are not UTF-8 and no character of several bytes. Lines of a file with both are checked one by one. */
async function unmarked(path: string): Promise<string> {
  const decoder = new TextDecoder();
  let isInvalid = false;
  const stream = createReadStream(path);
  try {
    for await (const chunk of stream) {
      const text = decoder.decode(chunk, { stream: true });
      if (/[\u0080-\ufffc\ufffe\uffff]/.test(text)) return 'utf-8';
      isInvalid ||= text.includes('\ufffd');
    }
  } catch (error) {
    throw usageError(`Cannot read ${path}: ${(error as Error).message}`);
  }
  return isInvalid || decoder.decode() !== '' ? LEGACY : 'utf-8';
}
