// traceparent and tracestate headers from untrusted callers.
import { expect, test } from 'vitest';
import {
  formatTraceparent,
  newSpanId,
  newTraceId,
  parseTraceparent,
  parseTracestate,
} from '../../../../shared/platform/tracing/traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const given = `00-${TRACE}-${SPAN}-01`;

test.each([
  [given, true],
  [`00-${TRACE}-${SPAN}-00`, false],
  [`00-${TRACE}-${SPAN}-03`, true],
  [`cc-${TRACE}-${SPAN}-01`, true],
  [`cc-${TRACE}-${SPAN}-00-what-comes-later`, false],
])('accepts %s', (header, sampled) => {
  expect(parseTraceparent(header)).toEqual({ traceId: TRACE, spanId: SPAN, sampled });
});

test.each([
  null,
  '',
  'x',
  TRACE,
  `${given}-more`,
  `${given}, ${given}`,
  `cc-${TRACE}-${SPAN}-01-x, cc-${TRACE}-${SPAN}-01-x`,
  `cc-${TRACE}-${SPAN}-01x`,
  `ff-${TRACE}-${SPAN}-01`,
  given.toUpperCase(),
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}-${SPAN}-0g`,
  `00-${TRACE}-${SPAN}`,
  'x'.repeat(100_000),
])('rejects %s', (header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});

test('generated ids are valid', () => {
  const [traceId, spanId] = [newTraceId(), newSpanId()];
  expect(parseTraceparent(formatTraceparent({ traceId, spanId, sampled: true }))).toEqual({
    ...{ traceId, spanId },
    sampled: true,
  });
  expect(newSpanId()).not.toBe(spanId);
});

test('accepts a tracestate up to 512 characters', () => {
  const state = `rojo=${'x'.repeat(507)}`;
  expect(parseTracestate(state)).toBe(state);
  for (const other of [null, '', `${state}x`, 'no pairs', 'a=\u00e9'])
    expect(parseTracestate(other)).toBeUndefined();
});
