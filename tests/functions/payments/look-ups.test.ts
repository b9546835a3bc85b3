// Lookups at a provider that is unreachable, or that finally reports a payment: the jobs, with a provider of the test.
import { expect, inject, test } from 'vitest';
import { createExpireInvoiceJob } from '../../../shared/payments/invoices/jobs.ts';
import { createFollowPayoutJob } from '../../../shared/payments/payouts/jobs.ts';
import type { AcceptedCharge, ChargePort } from '../../../shared/payments/providers/charge-port.ts';
import type { PaymentProvider, Providers } from '../../../shared/payments/providers/provider.ts';
import type { JobHandler } from '../../../shared/platform/jobs/job.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { connectDatabase, openDatabase } from '../../support/database.ts';
import { startOwnFunction } from '../../support/functions.ts';
import { bodyOf, createInvoice, createPayTenant, get } from '../../support/payments/payment-flows.ts';
import { pay, pixPayout } from '../../support/payments/payments.ts';
import { eventsOf, ledgerOf } from '../../support/payments/sandbox.ts';

const sql = connectDatabase();

/** A provider with the name of the sandbox that supports only these operations. */
function provider(does: Partial<ChargePort>): Providers {
  const away = async () => {
    throw new Error('the provider is away');
  };
  const all: PaymentProvider = {
    name: 'sandbox',
    charges: { create: away, find: away, read: away, cancel: away, ...does },
    payouts: { resendPolicy: 'at_once', create: away, find: away, cancel: away },
  };
  return { of: async () => all, connect: away };
}

function run(handler: JobHandler, tenantId: string, payload: object) {
  const _env = inject('env');
  const database = openDatabase();
  const counts = { attempts: 1, failures: 0, signal: new AbortController().signal };
  const job = { id: crypto.randomUUID(), name: handler.name, tenantId, payload, ...counts };
  return handler.run(payload, job, {
    database,
    queue: { publish: async () => true, handOff: async () => true },
    log: silentLogger,
  });
}

test('a failing lookup is scheduled again each time, and does not count as a failure of the job', async () => {
  const { id: tenantId, apiKey } = await createPayTenant(sql);
  const invoice = await createInvoice(apiKey, { payment_method: { type: 'boleto' } });
  const again = { againAt: expect.any(Date) };
  expect(await run(createExpireInvoiceJob(provider({})), tenantId, { invoice_id: invoice.id })).toEqual(
    again,
  );

  // A payout would settle by itself, but not during this test.
  const { baseUrl } = await startOwnFunction('payments', { SANDBOX_SETTLE_SECONDS: '3600' });
  const payout = bodyOf(await pay(apiKey, '/payouts', pixPayout(), { baseUrl }), 201);
  expect(await run(createFollowPayoutJob(provider({})), tenantId, { payout_id: payout.id })).toEqual({
    retryInSeconds: 600,
  });
});

test('an ended invoice that was paid at the last moment is paid', async () => {
  const tenant = await createPayTenant(sql);
  const { id } = await createInvoice(tenant.apiKey);
  const [ordered] =
    await sql`update invoices set expires_at = now() where id = ${id} returning provider_reference`;
  const paid: AcceptedCharge = {
    providerReference: ordered?.provider_reference,
    state: { status: 'paid', at: new Date(), feeMinor: 7, availableOn: undefined, reason: undefined },
    artifact: {},
  };
  const late = provider({ cancel: async () => false, read: async () => paid });
  expect(await run(createExpireInvoiceJob(late), tenant.id, { invoice_id: id })).toBe('done');
  expect(await get(tenant.apiKey, `/invoices/${id}`)).toMatchObject({ status: 'paid', fee: 7 });
  expect(await ledgerOf(sql, tenant)).toHaveLength(1);
  expect(await eventsOf(sql, tenant)).toEqual([`invoice.paid ${id}`]);
});
