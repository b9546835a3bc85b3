// An attempt and its lease: the remaining rights of a slow attempt. Uses a fake database; the real one is used in
// the tests of the functions.
import { afterEach, expect, test, vi } from 'vitest';
import {
  type Attempt,
  type IdempotentRequest,
  withIdempotencyKey,
} from '../../../../shared/payments/idempotency/with-idempotency-key.ts';
import type { InvoiceSnapshot } from '../../../../shared/payments/invoices/queries.ts';
import type { Context } from '../../../../shared/platform/access/context.ts';
import type { Transaction } from '../../../../shared/platform/db/database.ts';
import { compileAll, shapeRows, sql } from '../../../../shared/platform/db/sql.ts';
import { ApiError } from '../../../../shared/platform/errors.ts';
import { createLogger } from '../../../../shared/platform/logger.ts';

afterEach(() => vi.restoreAllMocks());

const request: IdempotentRequest = {
  key: 'k',
  fingerprint: 'f',
  successStatus: 201,
  formatError: ({ code }) => ({ status: 409, body: { code } }),
};

/** A database that records its statements, and responds to each transaction in turn. */
function playDatabase(answers: (unknown[][] | Error)[]) {
  const said: string[] = [];
  const transaction: Transaction = async (build) => {
    const work = build(sql);
    said.push(...compileAll(work).map(({ text }) => text.replace(/\s+/g, ' ').trim()));
    const answer = answers.shift() ?? [];
    if (answer instanceof Error) throw answer;
    return shapeRows(work, answer);
  };
  const actor = { type: 'api_key', id: 'a', scopes: [] } as const;
  const log = createLogger('error');
  const context: Context = {
    ...{ tenantId: 't', requestId: 'r', actor, log },
    ...{
      read: transaction,
      checkpoint: transaction,
      writeAfterFailure: transaction,
      write: transaction,
      recheck: async () => {},
    },
  };
  return { context, said };
}

const claimed = [[{ outcome: 'claimed', again: false }]];
const overtaken = Object.assign(new Error('this attempt no longer holds the key'), { code: 'PL001' });

const work = (call: () => Promise<void>) => async (attempt: Attempt) => {
  await attempt.begin(() => []);
  await attempt.callProvider(call);
  return await attempt.complete(() => [], {
    kind: 'invoice',
    snapshot: (sql) => sql<{ snapshot: InvoiceSnapshot }>`select the invoice`,
  });
};

test.each([
  [15_000, 1],
  [17_000, 0],
])(
  'after %i ms the provider is called %i times: its response must arrive within the lease',
  async (passed, times) => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const ask = vi.fn(async () => {});
    const { context, said } = playDatabase([claimed, [[], [{ snapshot: { id: 'inv' } }]], []]);
    const { checkpoint } = context;
    context.checkpoint = async (build) => {
      const rows = await checkpoint(build);
      now += passed;
      return rows;
    };
    const outcome = await withIdempotencyKey(context, request, work(ask)).catch((error) => error);
    expect(ask).toHaveBeenCalledTimes(times);
    if (times === 1)
      return expect(outcome).toMatchObject({ replayed: false, snapshot: { row: { id: 'inv' } } });
    expect(outcome).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
    // The key is available again, and nothing is stored.
    expect(said.at(-1)).toContain('app.release_key');
  },
);

test.each([
  ['its success', async () => {}],
  [
    'its refusal',
    async () => {
      throw new ApiError('invoice_not_cancelable', 'The invoice is canceled.');
    },
  ],
])('an overtaken request returns the stored response instead of %s', async (_, ask) => {
  const stored = {
    response_status: 201,
    response_body: null,
    snapshot: { id: 'theirs' },
    snapshot_kind: 'invoice',
  };
  const { context } = playDatabase([claimed, overtaken, [[stored]]]);
  const outcome = await withIdempotencyKey(context, request, work(ask));
  expect(outcome).toEqual({
    replayed: true,
    status: 201,
    snapshot: { kind: 'invoice', row: { id: 'theirs' } },
  });
});

test('a request that was overtaken by an attempt in flight reports that the key is in use', async () => {
  const running = { response_status: null, response_body: null, snapshot: null, snapshot_kind: null };
  for (const rows of [[running], []]) {
    const { context } = playDatabase([claimed, overtaken, [rows]]);
    const outcome = withIdempotencyKey(
      context,
      request,
      work(async () => {}),
    );
    await expect(outcome).rejects.toMatchObject({ code: 'idempotency_key_in_use', retryAfterSeconds: 1 });
  }
});

test('a rejection that cannot be stored is not returned: 503, and the same key retries', async () => {
  const refused = async () => {
    throw new ApiError('invoice_not_cancelable', 'The invoice is canceled.');
  };
  for (const failure of [
    new Error('connection closed'),
    new ApiError('unavailable', 'The database is away.'),
  ]) {
    const { context, said } = playDatabase([claimed, failure]);
    const outcome = withIdempotencyKey(context, request, work(refused));
    await expect(outcome).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 1,
      message: expect.stringContaining('same Idempotency-Key'),
    });
    expect(said.at(-1)).toContain('app.store_response');
  }
});

test('a failure whose key cannot be released is returned unchanged', async () => {
  const { context } = playDatabase([claimed, new Error('connection closed')]);
  const failed = async () => {
    throw new ApiError('provider_error', 'The provider did not answer.');
  };
  await expect(withIdempotencyKey(context, request, work(failed))).rejects.toMatchObject({
    code: 'provider_error',
  });
});
