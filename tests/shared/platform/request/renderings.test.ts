// Every code of the error table, sent through an app in each of the four formats.
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Database } from '../../../../shared/platform/db/database.ts';
import {
  ApiError,
  type ErrorCode,
  errorTable,
  insufficientScope,
} from '../../../../shared/platform/errors.ts';
import { createApp } from '../../../../shared/platform/http/app.ts';
import { createLogger } from '../../../../shared/platform/logger.ts';
import {
  activityErrorFormat,
  type ErrorFormat,
  oauthErrorFormat,
  problemErrorFormat,
  recordsErrorFormat,
} from '../../../../shared/platform/request/error-formats.ts';

const codes = Object.keys(errorTable) as ErrorCode[];
const options = {
  details: [{ index: 3, field: 'a.b', message: 'is wrong' }],
  retryAfterSeconds: 7,
  reason: 'hidden',
};

/** Errors for which RFC 6749 has its own code. */
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

/** An app without a database, which logs nothing. */
function appWith(errorFormat: ErrorFormat, docsUrl?: string) {
  const database: Database = {
    transaction: () => Promise.reject(new Error('away')),
    asLogin: () => Promise.reject(new Error('away')),
    close: async () => {},
  };
  const log = createLogger('error');
  const app = createApp({
    name: 'thing',
    errorFormat,
    schemes: ['One', 'Two'],
    database,
    environment: 'staging',
    addressHeader: 'cf-connecting-ip',
    unknownCallerRows: 60,
    ...(docsUrl && { docsUrl }),
    log,
  });
  app.get('/thing/fail/:code', (c) => {
    throw new ApiError(c.req.param('code') as ErrorCode, 'What went wrong.', options);
  });
  app.get('/thing/explained', () => {
    throw new ApiError('unauthorized', 'Who are you?', { page: 'authentication' });
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
  const problem = row.problem ?? code;
  // If the outcome is unknown, the work may have been done.
  const effect = code === 'unavailable' && { effect: 'unknown' };

  test('activity sync', async () => {
    const { response, body } = await appWith(activityErrorFormat)(`/thing/fail/${code}`);
    expect(response.status).toBe(row.status);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(body).toEqual({
      error: {
        code: row.envelope,
        message: 'What went wrong.',
        details: options.details,
        retry_after: 7,
        ...effect,
      },
    });
  });

  test('payments', async () => {
    const { response, body } = await appWith(problemErrorFormat)(`/thing/fail/${code}?q=1`);
    const status = row.problemStatus ?? row.status;
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(body).toEqual({
      type: `https://placar.dev/problems/${problem}`,
      title: row.title,
      status,
      detail: 'What went wrong.',
      instance: `/thing/fail/${code}`,
      code: problem,
      request_id: 'req-1',
      ...effect,
      errors: [{ field: 'a.b', message: 'is wrong' }],
    });
  });

  test('records', async () => {
    const { response, body } = await appWith(recordsErrorFormat)(`/thing/fail/${code}`);
    expect(response.status).toBe(row.status);
    expect(body).toEqual({
      error: {
        code: row.envelope,
        message: 'What went wrong.',
        details: [{ field: 'a.b', message: 'is wrong' }],
        ...effect,
      },
      meta: { request_id: 'req-1', timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) },
    });
  });

  test('the token endpoint', async () => {
    const { response, body } = await appWith(oauthErrorFormat)(`/thing/fail/${code}`);
    expect(response.status).toBe(row.status);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(body).toEqual({
      error: namesOfOauth[code] ?? problem,
      error_description: 'What went wrong.',
    });
  });
});

test.each([activityErrorFormat, problemErrorFormat, recordsErrorFormat, oauthErrorFormat])(
  'an unexpected error reveals only the request id',
  async (errorFormat) => {
    const { response, body } = await appWith(errorFormat)('/thing/crash');
    expect(response.status).toBe(500);
    expect(response.headers.get('x-request-id')).toBe('req-1');
    expect(String(vi.mocked(console.error).mock.calls)).toContain('secret detail');
    const text = JSON.stringify(body);
    expect(text).toContain('req-1');
    expect(text).not.toContain('secret');
    expect(text).not.toContain('hidden');
  },
);

test.each([
  [undefined, 'https://placar.dev/authentication'],
  ['https://docs.acme.example/placar', 'https://docs.acme.example/placar/authentication'],
])(
  'the page that explains an error is named by its whole address, with DOCS_URL %s',
  async (docsUrl, address) => {
    const { body } = await appWith(activityErrorFormat, docsUrl)('/thing/explained');
    expect(body.error.message).toBe(`Who are you? See ${address}.`);
  },
);

test('health returns 503 without a database', async () => {
  const { response, body } = await appWith(activityErrorFormat)('/thing/health');
  expect([response.status, body]).toEqual([503, { status: 'unavailable' }]);
});

describe('the challenge', () => {
  const challengeTo = async (error: ApiError) => {
    const app = createApp({
      name: 'thing',
      errorFormat: recordsErrorFormat,
      schemes: ['One', 'Two'],
      database: { transaction: vi.fn(), asLogin: vi.fn(), close: vi.fn() },
      environment: 'staging',
      addressHeader: 'cf-connecting-ip',
      unknownCallerRows: 60,
      log: createLogger('error'),
    });
    app.get('/thing/fail', () => {
      throw error;
    });
    return (await app.request('/thing/fail')).headers.get('www-authenticate');
  };

  test('of a 401 names each scheme', async () => {
    const error = new ApiError('unauthorized', 'Who are you?');
    expect(await challengeTo(error)).toBe('One realm="placar", Two realm="placar"');
  });

  test('of a 403 names the missing scope', async () => {
    const expected = 'realm="placar", error="insufficient_scope", scope="read:a read:b"';
    expect(await challengeTo(insufficientScope('token', ['read:a', 'read:b']))).toBe(
      `One ${expected}, Two ${expected}`,
    );
  });

  test('is in no other response', async () => {
    expect(await challengeTo(new ApiError('not_found', 'No.'))).toBeNull();
    expect(await challengeTo(new ApiError('insufficient_scope', 'No.'))).toBeNull();
  });
});
