// Limits, rejected credentials, failures and responses in another format.
import { describe, expect, test } from 'vitest';
import {
  CrmBusy,
  CrmCredentialsRejected,
  CrmUnreachable,
} from '../../../../shared/connectors/crms/errors.ts';
import { pipedrive } from '../../../../shared/connectors/crms/pipedrive/index.ts';
import { httpWithoutWaits } from '../../../support/crms/http-without-waits.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { type Answer, connect, data, deal, failure, person, startVendor, TOKEN } from './vendor.ts';

const DEAL = '/api/v2/deals/1';

/** What reading a deal throws at this answer. */
async function errorAt(answer: Answer): Promise<unknown> {
  const vendor = await startVendor({ [`GET ${DEAL}`]: () => answer });
  return await (await connect(vendor)).read('deal', ['1']).catch((error: unknown) => error);
}

describe('429', () => {
  const secondsToMidnight = () => (new Date().setUTCHours(24, 0, 0, 0) - Date.now()) / 1000;

  test('with Retry-After', async () => {
    const error = await errorAt(failure(429, 'request over limit', { 'retry-after': '7' }));
    expect(error).toBeInstanceOf(CrmBusy);
    expect(error).toMatchObject({ retryAfterSeconds: 7 });
  });

  test('without Retry-After', async () => {
    const headers = { 'x-ratelimit-reset': '2', 'x-daily-ratelimit-token-remaining': '29000' };
    const error = await errorAt(failure(429, 'request over limit', headers));
    expect(error).toBeInstanceOf(CrmBusy);
    expect(error).toMatchObject({ retryAfterSeconds: undefined });
  });

  test.each([
    ['x-daily-ratelimit-token-remaining', '0'],
    ['x-daily-ratelimit-token-remaining', '9'],
    ['x-daily-requests-left', '0'],
  ])('at the end of the daily budget (%s: %s) waits until midnight in UTC', async (name, left) => {
    const error = await errorAt(failure(429, 'request over limit', { [name]: left }));
    expect(error).toBeInstanceOf(CrmBusy);
    const { retryAfterSeconds = 0 } = error as CrmBusy;
    expect(Math.abs(retryAfterSeconds - secondsToMidnight())).toBeLessThan(60);
  });
});

test.each([401, 403, 402])('status %i: the credentials are rejected', async (status) => {
  const error = await errorAt(failure(status, 'unauthorized access'));
  expect(error).toBeInstanceOf(CrmCredentialsRejected);
  expect(String(error)).not.toContain(TOKEN);
});

test('429 with a message about the daily budget waits until midnight, also with a Retry-After of the burst', async () => {
  const words = 'Daily API token budget exceeded';
  for (const headers of [{}, { 'retry-after': '2' }]) {
    const midnight = (new Date().setUTCHours(24, 0, 0, 0) - Date.now()) / 1000;
    const error = await errorAt(failure(429, words, headers));
    expect(error).toBeInstanceOf(CrmBusy);
    if (error instanceof CrmBusy)
      expect(Math.abs(Number(error.retryAfterSeconds) - midnight)).toBeLessThan(60);
  }
});

test('a page that blocks our address is about too many requests', async () => {
  expect(await errorAt({ status: 403, body: '<!doctype html><title>Cloudflare</title>' })).toBeInstanceOf(
    CrmBusy,
  );
});

test.each<[string, Answer]>([
  ['500', failure(500, 'Internal error')],
  ['503 without JSON', { status: 503, body: '<html>' }],
  ['no JSON', { body: '<!doctype html>' }],
  ['no data', { body: { success: true } }],
  ['another format of data', data([1, 2])],
  ['another format of a member', data(deal(1, { value: 'many' }))],
  ['no date', data(deal(1, { update_time: 'yesterday' }))],
  ['400', failure(400, 'Scope and URL mismatch')],
  ['a redirect', { status: 302, headers: { location: '/elsewhere' }, body: '' }],
])('unreachable: %s', async (_, answer) => {
  expect(await errorAt(answer)).toBeInstanceOf(CrmUnreachable);
});

test('no response in time, or none at all', async () => {
  const vendor = await startVendor({ [`GET ${DEAL}`]: () => ({ body: undefined }) });
  const abort = new AbortController();
  const crm = await connect(vendor, { http: httpWithoutWaits('Pipedrive', abort.signal) });
  const read = crm.read('deal', ['1']);
  await waitFor(() => vendor.requests.length > 0);
  abort.abort();
  await expect(read).rejects.toBeInstanceOf(CrmUnreachable);
  const closed = await connect({ ...vendor, url: 'http://127.0.0.1:9' });
  await expect(closed.read('deal', ['1'])).rejects.toBeInstanceOf(CrmUnreachable);
});

test('a write whose response has another format may have been done', async () => {
  const vendor = await startVendor({ 'POST /api/v2/persons': () => ({ status: 201, body: 'ok' }) });
  const made = (await connect(vendor)).create('lead', { name: 'Ana' });
  await expect(made).rejects.toBeInstanceOf(CrmUnreachable);
});

test('members that Pipedrive leaves out are null, unknown ones are ignored', async () => {
  const vendor = await startVendor({
    'GET /api/v2/deals/1': () => data({ id: 1, add_time: '2026-01-01T00:00:00Z', color: 'red' }),
    'GET /api/v2/persons/2': () => data({ ...person(2), emails: undefined, custom_fields: null }),
  });
  const crm = await connect(vendor);
  const [read] = await crm.read('deal', ['1']);
  expect(read).toMatchObject({
    updatedAt: '2026-01-01T00:00:00.000Z',
    values: { name: null, value: null, status: 'open' },
  });
  expect((await crm.read('lead', ['2']))[0]?.values.email).toBeNull();
});

test('without an address in the settings, the address is that of the domain', async () => {
  const urls: string[] = [];
  const vendor = await startVendor();
  const crm = await connect(vendor, {
    addresses: pipedrive.addresses,
    http: async ({ url }) => {
      urls.push(url);
      return { status: 404, headers: new Headers(), body: {} };
    },
  });
  await crm.read('deal', ['1']);
  expect(urls[0]).toBe('https://acme.pipedrive.com/api/v2/deals/1');
});
