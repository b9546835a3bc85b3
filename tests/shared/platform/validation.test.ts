import { expect, test } from 'vitest';
import type { z } from 'zod';
import { parseInstant, parseInstantInUrl } from '../../../shared/platform/instants.ts';
import { jsonObject, text } from '../../../shared/platform/validation.ts';
import { operationSchemas } from '../../../shared/records/batch/schema.ts';
import { move } from '../../../shared/records/deals/schema.ts';
import { eventFilterMembers } from '../../../shared/webhooks/management/event-filters.ts';
import { replayRequest } from '../../../shared/webhooks/management/schema.ts';

test.each([
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000000Z'],
  ['2026-01-01T00:00:00.5+05:30', '2025-12-31T18:30:00.500000Z'],
  ['2026-01-01T00:00:00.123456789-23:59', '2026-01-01T23:59:00.123456Z'],
  ['2024-02-29T23:59:59-00:00', '2024-02-29T23:59:59.000000Z'],
  // Salesforce, Postgres, and other forms of ISO 8601.
  ['2026-11-20T10:00:00.000+0000', '2026-11-20T10:00:00.000000Z'],
  ['2026-11-20T10:00:00-0330', '2026-11-20T13:30:00.000000Z'],
  ['2026-11-20T10:00:00+00', '2026-11-20T10:00:00.000000Z'],
  ['2026-11-20T10:00Z', '2026-11-20T10:00:00.000000Z'],
  ['2026-11-20T10:00:00,25Z', '2026-11-20T10:00:00.250000Z'],
])('instant %s is %s', (given, expected) => {
  expect(parseInstant(given)).toBe(expected);
});

test('a plus sign of a URL that means a space', () => {
  expect(parseInstantInUrl('2026-11-20T10:00:00 02:00')).toBe('2026-11-20T08:00:00.000000Z');
  expect(parseInstantInUrl('2026-11-20 10:00:00Z')).toBeUndefined();
  expect(parseInstant('2026-11-20T10:00:00 02:00')).toBeUndefined();
});

test('text: NUL, lone surrogates, blank, length in code points', () => {
  const schema = text({ maxLength: 3, filled: true });
  const fault = (value: unknown) => schema.safeParse(value).error?.issues[0]?.message;
  expect(fault('\u{1F600}\u{1F600}\u{1F600}')).toBeUndefined();
  expect(fault('\u{1F600}\u{1F600}\u{1F600}\u{1F600}')).toBe('must have at most 3 characters');
  expect(fault('a\u0000')).toBe('must not contain NUL characters');
  expect(fault('\udc00')).toBe('must be well-formed Unicode, without lone surrogates');
  expect(fault(' \n')).toBe('must not be empty');
  expect(fault(undefined)).toBe('is required');
  expect(fault(null)).toBe('must be a string');
});

test('free-form objects stay unchanged, and values that cannot be stored are rejected', () => {
  const schema = jsonObject(1000);
  const odd = JSON.parse('{"__proto__": {"x": 1}, "constructor": [1]}');
  const parsed = schema.parse(odd);
  expect(JSON.stringify(parsed)).toBe('{"__proto__":{"x":1},"constructor":[1]}');
  expect(schema.safeParse(JSON.parse('{"a": 1e999}')).success).toBe(false);
  expect(schema.safeParse({ deep: [{ 'nul\u0000': 1 }] }).success).toBe(false);
  expect(schema.safeParse([]).success).toBe(false);
});

test('rules between members are checked even if a member is invalid', () => {
  const paths = (schema: z.ZodType, body: unknown) =>
    schema.safeParse(body).error?.issues.map(({ path }) => path.join('.'));
  expect(paths(move, { note: 5 })).toEqual(['note', 'stage_id']);
  expect(paths(move, { stage: 5 })).toEqual(['stage']);
  expect(paths(move, 'x')).toEqual(['']);
  expect(paths(operationSchemas.update, { method: 'update', data: 5 })).toEqual(['data', 'id']);
  expect(paths(replayRequest, { failed: 'x' })).toEqual(['failed']);
  expect(paths(replayRequest, {})).toEqual(['since']);
  const filters = [{ field: 'a..b', op: 'in', value: 5 }];
  expect(paths(eventFilterMembers.filters, filters)).toEqual(['0.field', '0.value']);
});
