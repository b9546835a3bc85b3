// The contract of providers, tested with the sandbox, whose orders are rows of the database.

import { expect, inject, test } from 'vitest';
import { createSandboxControls } from '../../../shared/payments/providers/sandbox/controls.ts';
import { createSandboxOrders } from '../../../shared/payments/providers/sandbox/orders.ts';
import { createSandboxProvider } from '../../../shared/payments/providers/sandbox/provider.ts';
import { createSandboxRefunds } from '../../../shared/payments/providers/sandbox/refunds.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { checkConformance } from '../../conformance/run.ts';
import { ordersIn } from '../../conformance/vendors.ts';
import { connectDatabase, createTenant, openDatabase } from '../../support/database.ts';

test('all checks that need no account pass', async () => {
  const { FUNCTIONS_URL = '' } = inject('env');
  const database = openDatabase();
  const queue = { publish: async () => true, handOff: async () => true };
  const { id: tenantId } = await createTenant(connectDatabase());
  const issuer = { tenantId, name: 'Conformance', timeZone: 'America/Sao_Paulo' };
  const orders = ordersIn('BRL');
  const sandboxOrders = createSandboxOrders({ database, queue, log: silentLogger });
  const settings = {
    settleSeconds: 3600,
    checkoutUrl: `${FUNCTIONS_URL}/checkout`,
    refundUrl: `${FUNCTIONS_URL}/refund-page`,
  };
  const refunds = createSandboxRefunds({ database, queue, log: silentLogger }, settings);
  const controls = createSandboxControls(sandboxOrders, refunds, undefined);
  const results = await checkConformance({
    provider: createSandboxProvider(sandboxOrders, refunds, settings),
    account: undefined,
    capabilities: {
      ...{
        pix: null,
        boleto: null,
        card: null,
        payout: null,
        tax_document: null,
        tax_document_cancellation: null,
      },
      ...{ ach_debit: 'not here', sepa_debit: 'not here', bank_transfer: 'not here' },
    },
    ...orders,
    taxDocument: () => ({ ...orders.taxDocument(), issuer }),
    stage: { pay: ({ reference }) => controls.pay(reference), later: async () => {} },
    payer: undefined,
  });
  expect(results.filter(({ outcome }) => outcome === 'did not hold')).toEqual([]);
  expect(results.filter(({ outcome }) => outcome === 'held').map(({ name }) => name.split(':')[0])).toEqual([
    'pix',
    'boleto',
    'bolepix',
    'card',
    'a charge that was never ordered can be canceled, which makes nothing',
    'a charge that was paid says so, with its fee, cannot be canceled, and is on the statement if there is one',
    'a payout that was never ordered is not found',
    'a tax document that was never ordered is not found',
    'a tax document is issued once, however often it is ordered, and canceled',
    'files are fetched from the provider alone',
    'what was made here was canceled or removed again',
  ]);
});
