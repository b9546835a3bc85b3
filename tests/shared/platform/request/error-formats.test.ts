import { expect, test } from 'vitest';
import { ApiError } from '../../../../shared/platform/errors.ts';
import {
  activityErrorFormat,
  problemErrorFormat,
  recordsErrorFormat,
} from '../../../../shared/platform/request/error-formats.ts';

const request = { requestId: 'r', path: '/p' };
const error = (count: number, field = 'f') =>
  new ApiError('validation', 'Fix these fields', {
    details: Array.from({ length: count }, (_, i) => ({ field: `${field}${i}`, message: 'is wrong' })),
  });

test('lists at most 100 details, and says if there were more', () => {
  const records = (count: number) => recordsErrorFormat(error(count), request).body.error;
  expect(records(100)).not.toHaveProperty('details_truncated');
  expect(records(101)).toMatchObject({ details_truncated: true });
  expect((records(300_000) as { details: unknown[] }).details).toHaveLength(100);
  const problem = problemErrorFormat(error(101), request).body;
  expect(problem).toMatchObject({ details_truncated: true });
  expect(problem.errors).toHaveLength(100);
});

test('activity sync lists every error', () => {
  const { body } = activityErrorFormat(error(3000), request);
  expect((body.error as { details: unknown[] }).details).toHaveLength(3000);
});

test('truncates a name that the caller chose', () => {
  const { body } = problemErrorFormat(error(1, 'x'.repeat(100_000)), request);
  expect(JSON.stringify(body).length).toBeLessThan(1000);
});
