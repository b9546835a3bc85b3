// The header `traceparent` of W3C Trace Context: parsing, formatting and ids.

export interface Traceparent {
  /** 32 lowercase hex digits. */
  traceId: string;
  /** 16 lowercase hex digits. */
  spanId: string;
  sampled: boolean;
}

const PATTERN = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[^,]*)?$/;
const SAMPLED = 0x01;
const isZero = (id: string): boolean => /^0+$/.test(id);

/** Parses the header. Undefined if it is absent or malformed, has an id of zeros, or was sent twice. */
export function parseTraceparent(header: string | null | undefined): Traceparent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = PATTERN.exec(header ?? '') ?? [];
  if (version === undefined || version === 'ff' || isZero(traceId) || isZero(spanId)) return undefined;
  // Only versions after 00 may have further fields.
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

export const formatTraceparent = ({ traceId, spanId, sampled }: Traceparent): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

export const newTraceId = (): string => crypto.randomUUID().replaceAll('-', '');

/** The last digits of a random UUID. One of them is never zero. */
export const newSpanId = (): string => crypto.randomUUID().replaceAll('-', '').slice(16);

const MAX_TRACESTATE_LENGTH = 512;
const TRACESTATE = /^[\x21-\x7e]+=[\x20-\x7e]+$/;

/** Returns the header `tracestate`; undefined if it is absent, malformed or too long. */
export function parseTracestate(header: string | null): string | undefined {
  if (header === null || header.length > MAX_TRACESTATE_LENGTH || !TRACESTATE.test(header)) return undefined;
  return header;
}
