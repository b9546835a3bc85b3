// Orders while their provider is unreachable, and after their account was deleted: jobs with a fake provider.
import { expect, inject, test, vi } from 'vitest';
import { deleteCredentialsWhenSettled } from '../../../shared/payments/accounts/disconnect.ts';
import { orderResources } from '../../../shared/payments/accounts/order-resources.ts';
import { createExpireInvoiceJob } from '../../../shared/payments/invoices/jobs.ts';
import { createRecoverOrderJob } from '../../../shared/payments/orders/recover-order.ts';
import { createOrderPayoutJob } from '../../../shared/payments/payouts/jobs.ts';
import type { ChargePort } from '../../../shared/payments/providers/charge-port.ts';
import { ProviderKeyRejected, ProviderOutcomeUnknown } from '../../../shared/payments/providers/errors.ts';
import type { PayoutPort } from '../../../shared/payments/providers/payout-port.ts';
import type { ConnectedProvider, Providers } from '../../../shared/payments/providers/provider.ts';
import { createIssueTaxDocumentJob } from '../../../shared/payments/tax-documents/issue.ts';
import type { JobDependencies, JobHandler } from '../../../shared/platform/jobs/job.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { connectDatabase, openDatabase } from '../../support/database.ts';
import { connectAsaasTenant } from '../../support/payments/asaas-tenant.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { createInvoice, createPayout, get, NFSE } from '../../support/payments/payment-flows.ts';
import { pay, pixPayout, transferPayout } from '../../support/payments/payments.ts';

const sql = connectDatabase();
const admin = connectAdmin();
const NEVER = new AbortController().signal;
const AGAIN = { retryInSeconds: expect.any(Number) };

const away = async () => {
  throw new ProviderOutcomeUnknown('the provider is away');
};

interface Does {
  charges?: Partial<ChargePort>;
  payouts?: Partial<PayoutPort>;
  removeWebhook?: ConnectedProvider['removeWebhook'];
}

/** A provider that supports these operations and is unreachable for all others. */
function provider(does: Does = {}): Providers {
  const all: ConnectedProvider = {
    name: 'asaas',
    charges: { create: away, find: away, read: away, cancel: away, ...does.charges },
    payouts: { resendPolicy: 'after_two_lookups', create: away, find: away, cancel: away, ...does.payouts },
    taxDocuments: { issue: away, find: away, cancel: away },
    ...{ inspectAccount: away, ensureWebhook: away, removeWebhook: does.removeWebhook ?? away },
    ...{ mayBeFromProvider: () => false, verifyDelivery: async () => false, readEvents: () => [] },
    ...{ listOrders: away, listStatement: away, readBalances: away },
  };
  return { of: async () => all, connect: async () => all };
}

function dependencies(): JobDependencies {
  const _env = inject('env');
  const database = openDatabase({ DATABASE_POOL_SIZE: 2 });
  return { database, queue: { publish: async () => true, handOff: async () => true }, log: silentLogger };
}

function run(handler: JobHandler, tenantId: string, payload: object) {
  const counts = { attempts: 1, failures: 0, signal: NEVER };
  const job = { id: crypto.randomUUID(), name: handler.name, tenantId, payload, ...counts };
  return handler.run(payload, job, dependencies());
}

const noFiles = { put: away, remove: away, sign: away };

test('an invoice that ends while its provider is unreachable stays open, and is looked up until it is back', async () => {
  const { id: tenantId, apiKey } = await connectAsaasTenant(admin, { asksUs: true });
  const { id } = await createInvoice(apiKey);
  await sql`update invoices set expires_at = now() where id = ${id}`;
  expect(await run(createExpireInvoiceJob(provider()), tenantId, { invoice_id: id })).toEqual(AGAIN);
  expect(await get(apiKey, `/invoices/${id}`)).toMatchObject({ status: 'open' });
  const back = provider({ charges: { cancel: async () => true } });
  expect(await run(createExpireInvoiceJob(back), tenantId, { invoice_id: id })).toBe('done');
  expect(await get(apiKey, `/invoices/${id}`)).toMatchObject({ status: 'failed' });
});

test('an order without a response is looked up until its provider is back', async () => {
  const { id: tenantId, apiKey, asaasId, control } = await connectAsaasTenant(admin, { asksUs: true });
  await control.fault({ kind: 'cut_before', method: 'POST', path: '/v3/transfers', account: asaasId });
  await pay(apiKey, '/payouts', pixPayout());
  const [payout] = await sql`select id from payouts where tenant_id = ${tenantId}`;
  const payload = { table: 'payouts', id: payout?.id };
  expect(await run(createRecoverOrderJob(provider(), orderResources), tenantId, payload)).toEqual(AGAIN);
});

test('a payout is not looked up while a request that may be sending it holds it', async () => {
  const { id: tenantId, apiKey, asaasId, control } = await connectAsaasTenant(admin, { asksUs: true });
  await control.fault({ kind: 'cut_before', method: 'POST', path: '/v3/transfers', account: asaasId });
  await pay(apiKey, '/payouts', pixPayout());
  const [held] = await sql`
    update idempotency_keys set locked_until = now() + interval '1 hour' where tenant_id = ${tenantId}
    returning resource_id as id, locked_until as "againAt"`;
  const findPayout = vi.fn(async () => undefined);
  const outcome = await run(
    createRecoverOrderJob(provider({ payouts: { find: findPayout } }), orderResources),
    tenantId,
    {
      table: 'payouts',
      id: held?.id,
    },
  );
  expect(outcome).toEqual({ againAt: held?.againAt });
  expect(findPayout).not.toHaveBeenCalled();
});

test('a payout is sent again after two lookups that began after it was sent, and by only one job', async () => {
  const { id: tenantId, apiKey, asaasId, control } = await connectAsaasTenant(admin, { asksUs: true });
  await control.fault({ kind: 'cut_before', method: 'POST', path: '/v3/transfers', account: asaasId });
  await pay(apiKey, '/payouts', pixPayout());
  // A sweep must not run the payout's own job in the meantime: it would send the payout.
  await sql`update jobs set finished_at = now() where tenant_id = ${tenantId} and name = 'recover-order'`;
  const [payout] = await sql`
    update payouts set ordered_at = now() - interval '5 minutes', missed_at = now() - interval '1 minute'
    where tenant_id = ${tenantId} returning id`;
  const payload = { table: 'payouts', id: payout?.id };
  let sent = 0;
  const silent = provider({
    payouts: {
      find: async () => undefined,
      create: () => {
        sent++;
        return away();
      },
    },
  });
  const outcomes = await Promise.all(
    [1, 2, 3].map(() => run(createRecoverOrderJob(silent, orderResources), tenantId, payload)),
  );
  expect(outcomes).toEqual([AGAIN, AGAIN, AGAIN]);
  expect(sent).toBe(1);

  // A lookup that began before the order was sent, and ends much later, proves nothing about it.
  await sql`update payouts set missed_at = now() - interval '1 hour' where id = ${payout?.id}`;
  const slow = provider({
    payouts: {
      find: async () => {
        await sql`update payouts set ordered_at = now() where id = ${payout?.id}`;
        return undefined;
      },
      create: async () => {
        sent++;
        return away();
      },
    },
  });
  expect(await run(createRecoverOrderJob(slow, orderResources), tenantId, payload)).toEqual(AGAIN);
  expect(sent).toBe(1);
});

test('an account without a key: ended orders fail, and so do approved payouts that were never sent', async () => {
  const { id: tenantId, apiKey, accountId } = await connectAsaasTenant(admin, { asksUs: true });
  await sql`select admin.require_payout_approval(${tenantId}, 0)`;
  const { id } = await createInvoice(apiKey);
  const payout = await createPayout(apiKey);
  await sql`update invoices set expires_at = now() where id = ${id}`;
  const [document] = await sql`
    insert into tax_documents (tenant_id, invoice_id, type, service_code, provider, provider_account_id)
    values (${tenantId}, ${id}, 'nfse', ${NFSE.service_code}, 'asaas', ${accountId}) returning id`;
  await sql`update payouts set approval = 'approved' where id = ${payout.id}`;
  await sql`update provider_accounts set status = 'disconnected', disconnected_at = now() where id = ${accountId}`;
  await sql`select app.forget_provider_account(${accountId})`;
  expect(
    await run(createIssueTaxDocumentJob(provider(), noFiles), tenantId, { tax_document_id: document?.id }),
  ).toBe('done');
  expect(await run(createExpireInvoiceJob(provider()), tenantId, { invoice_id: id })).toBe('done');
  expect(await run(createOrderPayoutJob(provider()), tenantId, { payout_id: payout.id })).toBe('done');
  expect(await get(apiKey, `/invoices/${id}`)).toMatchObject({
    status: 'failed',
    tax_document: { status: 'failed' },
  });
  expect(await get(apiKey, `/payouts/${payout.id}`)).toMatchObject({ status: 'failed' });
});

test('removing a webhook is retried if it fails temporarily; with a rejected key it is left', async () => {
  const { accountId } = await connectAsaasTenant(admin, { asksUs: true });
  await sql`update provider_accounts set status = 'disconnected', disconnected_at = now() where id = ${accountId}`;
  const options = (providers: Providers) => ({
    providers,
    functionsUrl: 'http://127.0.0.1:1',
    reconcileSeconds: 60,
    checkSeconds: 300,
  });
  const hasKey = async () => {
    const [secrets] =
      await sql`select api_key is not null as kept from private.provider_secrets where account_id = ${accountId}`;
    return secrets?.kept;
  };
  expect(await deleteCredentialsWhenSettled(accountId, options(provider()), dependencies(), NEVER)).toEqual(
    AGAIN,
  );
  expect(await hasKey()).toBe(true);
  const dead = async () => {
    throw new ProviderKeyRejected('no');
  };
  expect(
    await deleteCredentialsWhenSettled(
      accountId,
      options(provider({ removeWebhook: dead })),
      dependencies(),
      NEVER,
    ),
  ).toBe('done');
  expect(await hasKey()).toBe(false);
});

test('the key of an account with an open order is deleted after 60 days, and not before', async () => {
  const { accountId, apiKey } = await connectAsaasTenant(admin, { asksUs: true });
  await createInvoice(apiKey);
  const look = async (days: number) => {
    await sql`
      update provider_accounts set status = 'disconnected', disconnected_at = now() - make_interval(days => ${days}, hours => 1)
      where id = ${accountId}`;
    const removing = provider({ removeWebhook: async () => {} });
    const options = {
      providers: removing,
      functionsUrl: 'http://127.0.0.1:1',
      reconcileSeconds: 60,
      checkSeconds: 300,
    };
    const outcome = await deleteCredentialsWhenSettled(accountId, options, dependencies(), NEVER);
    const [secrets] =
      await sql`select api_key is not null as kept from private.provider_secrets where account_id = ${accountId}`;
    return [outcome, secrets?.kept];
  };
  expect(await look(59)).toEqual([AGAIN, true]);
  expect(await look(60)).toEqual(['done', false]);
});

test('an approved payout is not canceled while a job sends it', async () => {
  const { id: tenantId, apiKey } = await connectAsaasTenant(admin, { asksUs: true });
  await sql`select admin.set_provider_route(${tenantId}, 'payout', '*', 'EUR', null, '{sandbox}')`;
  await sql`select admin.require_payout_approval(${tenantId}, 0, 'EUR')`;
  const first = await createPayout(apiKey, transferPayout());
  await sql`update payouts set approval = 'approved', ordered_at = now() where id = ${first.id}`;
  const refused = await pay(apiKey, `/payouts/${first.id}/cancel`, {});
  expect([refused.status, refused.body]).toMatchObject([502, { code: 'provider_error', retryable: true }]);
  const second = await createPayout(apiKey, transferPayout());
  await sql`update payouts set approval = 'approved' where id = ${second.id}`;
  expect(await pay(apiKey, `/payouts/${second.id}/cancel`, {})).toMatchObject({
    status: 200,
    body: { status: 'canceled' },
  });
  const sends = provider({ payouts: { create: () => expect.unreachable('a canceled payout was sent') } });
  expect(await run(createOrderPayoutJob(sends), tenantId, { payout_id: second.id })).toBe('done');
});
