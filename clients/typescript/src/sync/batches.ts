// Splits a list of any length into batches of one request each.
import { toJson } from '../core/json.ts';

export interface Batch {
  /** Position of its first item in the whole list, from 0. */
  start: number;
  count: number;
  /** The items as a JSON array. */
  json: string;
  /** Keys that must not be in flight in two batches at once: the earlier batch goes first. */
  keys: Set<string>;
}

/** A request has at most 6 MiB. The difference is for the rest of the body. */
const MAX_BYTES = 6 * 1024 * 1024 - 1024;

export type Items<Item> = Iterable<Item> | AsyncIterable<Item>;

/** Yields batches of at most `size` items within the byte limit of a request, in the order of the list. */
export async function* batchesOf<Item>(
  items: Items<Item>,
  size: number,
  keyOf: (item: Item) => string,
): AsyncGenerator<Batch> {
  const encoder = new TextEncoder();
  let [start, bytes] = [0, 0];
  let texts: string[] = [];
  let keys = new Set<string>();
  const cut = (): Batch => {
    const batch = { start, count: texts.length, json: `[${texts.join(',')}]`, keys };
    start += texts.length;
    [texts, bytes, keys] = [[], 0, new Set()];
    return batch;
  };
  for await (const item of items) {
    const text = toJson(item) ?? 'null';
    const itemBytes = encoder.encode(text).length + 1;
    if (texts.length > 0 && (texts.length === size || bytes + itemBytes > MAX_BYTES)) yield cut();
    texts.push(text);
    bytes += itemBytes;
    keys.add(keyOf(item));
  }
  if (texts.length > 0) yield cut();
}
