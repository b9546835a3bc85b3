// What the adapter of HubSpot makes of errors, limits and responses that it does not understand.
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FaultOrder } from '../../../../local/fakes/faults.ts';
import {
  CrmBusy,
  CrmCredentialsRejected,
  CrmRejected,
  CrmUnreachable,
} from '../../../../shared/connectors/crms/errors.ts';
import { startReceiver } from '../../../support/payments/vendor-receiver.ts';
import { createAccount, fakeOfThisFile } from './hubspot-account.ts';

fakeOfThisFile();

async function createFailing(order: FaultOrder) {
  const account = await createAccount();
  await account.fake.control.fault({ ...order, account: account.id });
  return await account.connect();
}

const page = { since: null, cursor: null };

test('429 is a limit', async () => {
  const limited = await createFailing({ kind: 'rate_limited' });
  const error = await limited.list('lead', page).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CrmBusy);
  expect(error).toMatchObject({ retryAfterSeconds: undefined });
});

test.each([429, 477])('%i says how long to wait', async (status) => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  receiver.answer = () => ({ status, headers: { 'retry-after': '17' } });
  const addresses = { HUBSPOT_URL: receiver.url, HUBSPOT_VERSION: '2026-09' };
  const limited = await (await createAccount()).connect({ addresses });
  const error = await limited.create('lead', {}).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CrmBusy);
  expect(error).toMatchObject({ retryAfterSeconds: 17 });
});

test.each([423, 477])('%i means to try again later', async (status) => {
  const busy = await createFailing({ kind: 'error_before', status, body: {} });
  const error = await busy.update('lead', '1', { phone: '1' }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CrmBusy);
  expect(error).toMatchObject({ retryAfterSeconds: 2 });
});

test('a wrong token rejects the credentials', async () => {
  const account = await createAccount();
  const connection = await account.connect({ credentials: { service_key: 'wrong' } });
  await expect(connection.inspect()).rejects.toThrow(CrmCredentialsRejected);
});

test('a service key is a token', async () => {
  const account = await createAccount({ isServiceKey: true });
  expect((await (await account.connect()).inspect()).vendorId).toBe(account.id);
});

test.each<FaultOrder>([
  { kind: 'error_before', status: 503 },
  { kind: 'error_after', status: 500 },
  { kind: 'cut_after' },
  { kind: 'cut_before' },
])('%j leaves open whether a write was done', async (order) => {
  const connection = await createFailing({ ...order, method: 'POST', path: '*/contacts' });
  const creation = connection.create('lead', { email: 'ana@acme.example' });
  await expect(creation).rejects.toThrow(CrmUnreachable);
});

describe('a response of another format', () => {
  test.each([
    ['list', '*/search'],
    ['read', '*/batch/read'],
    ['inspect', '/account-info/*'],
    ['inspect', '/crm/owners/*'],
    ['inspect', '/crm/pipelines/*'],
  ] as const)('of %s at %s means that HubSpot is unreachable', async (method, path) => {
    const bodies = ['<html></html>', [], { results: null }, { results: [1] }];
    for (const body of bodies) {
      const connection = await createFailing({ kind: 'error_before', path, status: 200, body });
      const called = {
        list: () => connection.list('deal', page),
        read: () => connection.read('lead', ['1']),
        inspect: () => connection.inspect(),
      };
      await expect(called[method]()).rejects.toThrow(CrmUnreachable);
    }
  });

  test('of a write leaves open whether it was done', async () => {
    const connection = await createFailing({ kind: 'error_after', method: 'POST', status: 201, body: {} });
    await expect(connection.create('lead', {})).rejects.toThrow(CrmUnreachable);
  });

  test('of a rejection is a rejection', async () => {
    const connection = await createFailing({ kind: 'error_before', method: 'POST', status: 400, body: [] });
    await expect(connection.create('lead', {})).rejects.toThrow(new CrmRejected('status 400'));
  });
});

test('records are absent only if HubSpot says that they do not exist', async () => {
  const errors = [
    { status: 'error', category: 'INTERNAL_ERROR', message: 'failed', context: { ids: ['1'] } },
  ];
  const body = { status: 'COMPLETE', results: [], errors, numErrors: 1 };
  const partial = await createFailing({ kind: 'error_before', status: 207, body });
  await expect(partial.read('lead', ['1'])).rejects.toThrow(CrmUnreachable);
  const missing = await createFailing({ kind: 'error_before', status: 404, body: {} });
  await expect(missing.read('lead', ['1'])).rejects.toThrow(CrmUnreachable);
});

test('a record with ids as numbers and a time in milliseconds is read', async () => {
  const properties = { lastmodifieddate: '1763632800000', email: ' ANA@acme.example ' };
  const body = { results: [{ id: 12, properties, extra: {} }] };
  const connection = await createFailing({ kind: 'error_before', status: 200, body });
  expect(await connection.read('lead', ['12'])).toMatchObject([
    { id: '12', updatedAt: '2025-11-20T10:00:00.000Z', values: { email: 'ana@acme.example' } },
  ]);
});
