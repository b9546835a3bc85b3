/** The filters and pages of the message and dead-letter lists, as the query string gives them. */
import type { DeadLetter, Message } from './message.ts';
import { BadRequest } from './publication.ts';

const DEFAULT_COUNT = 100;

const FIELDS: Readonly<Record<string, (message: Message, letter?: DeadLetter) => (string | undefined)[]>> = {
  messageId: (message) => [message.messageId],
  messageIds: (message) => [message.messageId],
  dlqIds: (_, letter) => [letter?.dlqId],
  url: (message) => [message.url],
  host: (message) => [new URL(message.url).host],
  path: (message) => [new URL(message.url).pathname],
  label: (message) => message.labels,
  scheduleId: (message) => [message.scheduleId],
  flowControlKey: (message) => [message.flowControl?.key],
  callerIp: (message) => [message.callerIp],
  responseStatus: (_, letter) => [String(letter?.responseStatus)],
};
const OTHERS = new Set(['count', 'cursor', 'fromDate', 'toDate']);

/**
 * Values of one filter are alternatives; all filters have to match.
 *
 * @throws BadRequest for a filter that isn't known, since ignoring it would widen a bulk action
 */
export function readFilter(query: URLSearchParams): (message: Message, letter?: DeadLetter) => boolean {
  const names = [...new Set(query.keys())].filter((name) => !OTHERS.has(name));
  const wanted = names.map((name) => {
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (field === undefined) throw new BadRequest(`unknown filter: ${name}`);
    return { field, values: new Set(query.getAll(name)) };
  });
  const fromMs = wholeNumber(query, 'fromDate') ?? 0;
  const toMs = wholeNumber(query, 'toDate') ?? Number.POSITIVE_INFINITY;
  return (message, letter) =>
    message.createdAtMs >= fromMs &&
    message.createdAtMs <= toMs &&
    wanted.every(({ field, values }) =>
      field(message, letter).some((value) => value !== undefined && values.has(value)),
    );
}

/** One page of a list; the cursor is the place where the next one begins, undefined after the last. */
export function page<T>(items: T[], query: URLSearchParams): { items: T[]; cursor: string | undefined } {
  const from = wholeNumber(query, 'cursor') ?? 0;
  const to = from + (wholeNumber(query, 'count') ?? DEFAULT_COUNT);
  return { items: items.slice(from, to), cursor: to < items.length ? String(to) : undefined };
}

function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new BadRequest(`invalid ${name}: ${text}`);
  return Number(text);
}
