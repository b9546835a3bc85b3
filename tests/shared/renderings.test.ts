// Every code of the error table, end to end through an app, in each of the four renderings.
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Database } from '../../shared/platform/db/database.ts';
import { ApiError, type ErrorCode, errorTable } from '../../shared/platform/errors.ts';
import { createApp } from '../../shared/platform/http/app.ts';
import {
  activityRendering,
  oauthRendering,
  problemRendering,
  type Rendering,
  recordsRendering,
} from '../../shared/platform/http/error-responses.ts';
import { createLogger } from '../../shared/platform/logging/logger.ts';

const codes = Object.keys(errorTable) as ErrorCode[];
const options = {
  details: [{ index: 3, field: 'a.b', message: 'is wrong' }],
  retryAfterSeconds: 7,
  reason: 'hidden',
};

/** Errors that RFC 6749 has a name of its own for. */
const namesOfOauth: Partial<Record<ErrorCode, string>> = {
  malformed_body: 'invalid_request',
  validation: 'invalid_request',
  unauthorized: 'invalid_client',
  rate_limited: 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
};

beforeEach(() => {
  const quiet = vi.spyOn(console, 'error').mockImplementation(() => {});
  return () => quiet.mockRestore();
});

/** An app without a database: what it would log goes nowhere. */
function appWith(rendering: Rendering) {
  const database: Database = {
    transaction: async () => [],
    asOwner: async () => {
      throw new Error('away');
    },
    close: async () => {},
  };
  const log = createLogger('error');
  const app = createApp({ name: 'thing', rendering, database, environment: 'staging', log });
  app.get('/thing/fail/:code', (c) => {
    throw new ApiError(c.req.param('code') as ErrorCode, 'What went wrong.', options);
  });
  app.get('/thing/crash', () => {
    throw new Error('secret detail');
  });
  return async (path: string) => {
    const response = await app.request(path, { headers: { 'X-Request-Id': 'req-1' } });
    return { response, body: await response.json() };
  };
}

describe.each(codes)('%s', (code) => {
  const row = errorTable[code];

  test('activity sync', async () => {
    const { response, body } = await appWith(activityRendering)(`/thing/fail/${code}`);
    expect(response.status).toBe(row.status);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(body).toEqual({
      error: { code: row.envelope, message: 'What went wrong.', details: options.details, retry_after: 7 },
    });
  });

  test('payments', async () => {
    const { response, body } = await appWith(problemRendering)(`/thing/fail/${code}?q=1`);
    const status = code === 'validation' ? 422 : row.status;
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(body).toEqual({
      type: `https://placar.dev/problems/${row.problem}`,
      title: row.title,
      status,
      detail: 'What went wrong.',
      instance: `/thing/fail/${code}`,
      code: row.problem,
      request_id: 'req-1',
      errors: [{ field: 'a.b', message: 'is wrong' }],
    });
  });

  test('records', async () => {
    const { response, body } = await appWith(recordsRendering)(`/thing/fail/${code}`);
    expect(response.status).toBe(row.status);
    expect(body).toEqual({
      error: {
        code: row.envelope,
        message: 'What went wrong.',
        details: [{ field: 'a.b', message: 'is wrong' }],
      },
      meta: { request_id: 'req-1', timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) },
    });
  });

  test('the token endpoint', async () => {
    const { response, body } = await appWith(oauthRendering)(`/thing/fail/${code}`);
    expect(response.status).toBe(row.status);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(body).toEqual({
      error: namesOfOauth[code] ?? row.problem,
      error_description: 'What went wrong.',
    });
  });
});

test.each([activityRendering, problemRendering, recordsRendering, oauthRendering])(
  'an unexpected error tells nothing but the request id',
  async (rendering) => {
    const { response, body } = await appWith(rendering)('/thing/crash');
    expect(response.status).toBe(500);
    expect(response.headers.get('x-request-id')).toBe('req-1');
    expect(String(vi.mocked(console.error).mock.calls)).toContain('secret detail');
    const text = JSON.stringify(body);
    expect(text).toContain('req-1');
    expect(text).not.toContain('secret');
    expect(text).not.toContain('hidden');
  },
);

test('health without a database is 503', async () => {
  const { response, body } = await appWith(activityRendering)('/thing/health');
  expect([response.status, body]).toEqual([503, { status: 'unavailable' }]);
});
