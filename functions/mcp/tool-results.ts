// Results of tools: structured, and the same as text.
import { type ApiError, errorTable } from '../../shared/platform/errors.ts';
import { isExactNumber } from '../../shared/platform/exact-json.ts';
import { MAX_DETAILS } from '../../shared/platform/request/error-formats.ts';
import { isObject } from './protocol.ts';

/**
 * Control characters other than line feed and tab, and characters that people do not see but models read: tags, variation selectors and
 * characters without width can spell a text, and bidirectional controls reorder one. Emoji and some scripts need joiners and U+FE0F, but
 * never three in a row.
 */
const HIDDEN =
  /[^\P{Cc}\n\t]|(?!\u200c|\u200d|\ufe0f)\p{Default_Ignorable_Code_Point}|(?:\u200c|\u200d|\ufe0f){3,}/gu;

const cleanText = (text: string) => text.replaceAll(HIDDEN, '');

/** The value without hidden characters in its texts. */
export function clean(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (!isObject(value) || isExactNumber(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [cleanText(name), clean(member)]));
}

export function succeeded(output: object): object {
  const structuredContent = clean(output);
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

/** The error of an operation: code, message, each invalid field, further members, and the request id. */
export function failed({ code, message, details = [], extra = {} }: ApiError, requestId: string): object {
  const lines = [
    `${errorTable[code].envelope}: ${message}`,
    ...details.slice(0, MAX_DETAILS).map(({ field, message: fault }) => `${field}: ${fault}`),
    ...Object.entries(extra).map(([name, value]) => `${name}: ${asText(value)}`),
    `request_id: ${requestId}`,
  ];
  // Tools have the header as an argument.
  const text = cleanText(lines.join('\n')).replaceAll('Idempotency-Key', 'idempotency_key');
  return { content: [{ type: 'text', text }], isError: true };
}

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
