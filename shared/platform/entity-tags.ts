// Parses entity tags of conditional requests (RFC 9110, sections 8.8.3 and 13.1).
import { invalid } from './errors.ts';

/** The tags without their quotes, or `*` for any tag. */
export type EntityTags = '*' | readonly string[];

export type ConditionHeader = 'If-Match' | 'If-None-Match';

/** Weak tags are treated like strong ones, because proxies that compress a response mark its tag as weak. */
const TAG = /\s*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)/y;

/** Returns the tags of a header, or undefined if it is absent. Throws 400 if the header is not a list of quoted tags. */
export function entityTagsOf(headers: Headers, name: ConditionHeader): EntityTags | undefined {
  const text = headers.get(name);
  if (text === null) return undefined;
  const tags = parseEntityTags(text);
  if (tags) return tags;
  throw invalid('header', name, ENTITY_TAGS_RULE);
}

export const ENTITY_TAGS_RULE =
  'must be * or a comma-separated list of entity tags in double quotes, as sent in ETag';

/** Returns the tags of a list, or undefined if it is malformed. */
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

/** Whether one of the tags matches this entity tag. */
export const matchesAny = (tags: EntityTags | undefined, etag: string): boolean =>
  tags !== undefined && (tags === '*' || tags.some((tag) => `"${tag}"` === etag));
