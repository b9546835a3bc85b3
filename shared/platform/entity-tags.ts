// Entity tags of conditional requests (RFC 9110, sections 8.8.3 and 13.1).
import { ApiError } from './errors.ts';

/** What stands between the quotes of each tag, or `*`, which is any. */
export type EntityTags = '*' | readonly string[];

export type ConditionHeader = 'If-Match' | 'If-None-Match';

/** A tag marked weak is the same here: proxies that compress an answer mark its tag so. */
const TAG = /\s*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)/y;

/** The tags of a header; undefined when there is none. Throws 400 for what is no list of quoted tags. */
export function entityTagsOf(headers: Headers, name: ConditionHeader): EntityTags | undefined {
  const text = headers.get(name);
  if (text === null) return undefined;
  const tags = parseEntityTags(text);
  if (tags) return tags;
  throw new ApiError('validation', 'Fix this header.', {
    details: [{ field: name, message: ENTITY_TAGS_RULE }],
  });
}

export const ENTITY_TAGS_RULE =
  'must be *, or entity tags in double quotes as ETag gave them, with commas between them';

/** The tags of a list; nothing where it is none. */
export function parseEntityTags(text: string): EntityTags | undefined {
  const list = text.trim();
  if (list === '') return undefined;
  if (list === '*') return '*';
  const tags: string[] = [];
  const tag = new RegExp(TAG);
  while (tag.lastIndex < list.length) {
    const [, value] = tag.exec(list) ?? [];
    if (value === undefined) return undefined;
    tags.push(value);
  }
  return tags;
}
