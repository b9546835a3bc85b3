// The sandbox adapter: a simulated provider that works offline.

import type { AcceptedCharge, ChargeOrder, ChargePort } from '../charge-port.ts';
import { divide } from '../due-terms.ts';
import type { AdjustmentReason, OrderReport } from '../order-report.ts';
import type { PayoutPort } from '../payout-port.ts';
import type { PaymentProvider } from '../provider.ts';
import { artifactOf } from './artifact.ts';
import type { SandboxOrders } from './orders.ts';
import type { OrderRow } from './queries.ts';
import { createRefunds, type SandboxRefunds } from './refunds.ts';
import { chargeFee, hasRule, PAYOUT_FEE } from './rules.ts';
import { createTaxDocuments, fileAt } from './tax-documents.ts';

export interface SandboxSettings {
  /** Seconds until a payout settles. */
  settleSeconds: number;
  /** Public base URL of the sandbox's payment page. */
  checkoutUrl: string;
  /** Public base URL of the page on which the payer of a boleto completes a refund. */
  refundUrl: string;
}

export const createSandboxProvider = (
  orders: SandboxOrders,
  refunds: SandboxRefunds,
  settings: SandboxSettings,
): PaymentProvider => ({
  name: 'sandbox',
  charges: createCharges(orders, refunds, settings),
  refunds: createRefunds(refunds, settings),
  payouts: createPayouts(orders, settings),
  taxDocuments: createTaxDocuments(orders),
  fetchFile: async (url) => fileAt(url),
});

function createCharges(
  orders: SandboxOrders,
  refunds: SandboxRefunds,
  { settleSeconds, checkoutUrl }: SandboxSettings,
): ChargePort {
  const accepted = async (order: ChargeOrder, row: OrderRow): Promise<AcceptedCharge> => ({
    ...chargeReportOf(order, row),
    artifact: await artifactOf(order, row.provider_id, checkoutUrl),
  });
  return {
    async create(order) {
      const { reference, amountMinor, method } = order;
      const fails = method === 'card' && hasRule(amountMinor, 'failLater');
      const feeMinor = chargeFee(amountMinor);
      const row = await orders.place(
        { kind: 'charge', reference, amountMinor, method, status: 'open', feeMinor },
        fails ? [{ to: 'failed', afterSeconds: settleSeconds }] : [],
      );
      return await accepted(order, row);
    },
    async find(order) {
      const row = await orders.find('charge', order.reference);
      return row && (await accepted(order, row));
    },
    async read(order) {
      const { reference, currency, method } = order;
      const row = await orders.find('charge', reference);
      if (!row) return undefined;
      const { state, ...report } = chargeReportOf(order, row);
      const paidBy =
        method === 'boleto' || method === 'pix' ? method : method === 'bolepix' ? 'pix' : undefined;
      const found = row.status === 'paid' ? await refunds.of(reference, currency) : [];
      return { ...report, state: { ...state, paidBy }, refunds: found };
    },
    async cancel({ reference }) {
      const changed = await orders.change('charge', reference, { from: ['open', 'failed'], to: 'canceled' });
      const row = changed ?? (await orders.find('charge', reference));
      return row?.status !== 'paid';
    },
  };
}

function createPayouts(orders: SandboxOrders, { settleSeconds }: SandboxSettings): PayoutPort {
  return {
    resendPolicy: 'at_once',
    async create({ reference, amountMinor, currency, kind: method }) {
      const international = method === 'international';
      const status = international ? 'created' : 'processing';
      const end = hasRule(amountMinor, 'failLater') ? 'failed' : 'paid';
      const row = await orders.place(
        { kind: 'payout', reference, amountMinor, method, status, feeMinor: PAYOUT_FEE },
        [
          ...(international ? [{ to: 'incoming_payment_waiting', afterSeconds: 0 }] : []),
          { to: end, afterSeconds: settleSeconds },
        ],
      );
      return payoutReportOf(row, currency);
    },
    async find({ reference, currency }) {
      const row = await orders.find('payout', reference);
      return row && payoutReportOf(row, currency);
    },
    async cancel({ reference }) {
      const from = ['created', 'incoming_payment_waiting'];
      const changed = await orders.change('payout', reference, { from, to: 'canceled' });
      const row = changed ?? (await orders.find('payout', reference));
      return row?.status === 'canceled';
    },
  };
}

function reportOf({ provider_id, status, changed_at: at, fee, available_on, reason }: OrderRow): OrderReport {
  return {
    providerReference: provider_id,
    state: {
      status,
      at: new Date(at),
      feeMinor: status === 'paid' ? fee : undefined,
      // If undefined, the ledger uses the payment date in the tenant's time zone.
      availableOn: available_on ?? undefined,
      reason: status === 'failed' ? (reason ?? undefined) : undefined,
    },
  };
}

/** Divides the amount paid for a charge with a due date. */
function chargeReportOf({ amountMinor, due }: ChargeOrder, row: OrderRow): OrderReport {
  const { state, ...report } = reportOf(row);
  if (row.status !== 'paid' || !due || row.paid_amount === null || row.paid_on === null)
    return { ...report, state };
  const { fine, interest, discount } = divide(amountMinor, due, {
    amountMinor: row.paid_amount,
    on: row.paid_on,
    feesForLatenessMinor: undefined,
  });
  const total = (reason: AdjustmentReason, minor: number) => ({
    reason,
    currency: 'BRL',
    amountMinor: minor || 0,
  });
  return {
    ...report,
    state: { ...state, paidOn: row.paid_on },
    adjustments: [total('fine', fine), total('interest', interest), total('discount', -discount)],
  };
}

/** Reports the money of a failed payout as returned. This has no effect if it was never entered as paid. */
const payoutReportOf = (row: OrderRow, currency: string): OrderReport => ({
  ...reportOf(row),
  ...(row.status === 'failed' && {
    adjustments: [{ reason: 'returned', currency, amountMinor: row.amount }],
  }),
});
