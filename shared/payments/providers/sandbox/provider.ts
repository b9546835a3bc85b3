// The sandbox: a provider that works offline.
import {
  type AcceptedCharge,
  type ChargeOrder,
  type OrderReport,
  type PaymentProvider,
  ProviderRefusal,
  type TaxDocumentReport,
} from '../provider.ts';
import { artifactOf } from './artifact.ts';
import { stateOf } from './notifications.ts';
import type { SandboxOrders } from './orders.ts';
import type { OrderRow } from './queries.ts';
import { chargeFee, FAILING_SERVICE_CODE, hasRule, PAYOUT_FEE, SANDBOX } from './rules.ts';

export interface SandboxSettings {
  /** Seconds until a payout settles. */
  settleSeconds: number;
  /** Public address below which the page of a card's payer answers. */
  checkoutUrl: string;
}

export function createSandboxProvider(orders: SandboxOrders, settings: SandboxSettings): PaymentProvider {
  const { settleSeconds, checkoutUrl } = settings;
  const chargeOf = async (order: ChargeOrder, row: OrderRow): Promise<AcceptedCharge> => ({
    providerReference: row.provider_id,
    state: stateOf(row),
    artifact: await artifactOf(order, row.provider_id, checkoutUrl),
  });

  return {
    name: SANDBOX,
    resendsPayouts: 'at_once',
    async createCharge(order) {
      const { reference, amountMinor, method } = order;
      const fails = method === 'card' && hasRule(amountMinor, 'failLater');
      const row = await orders.place(
        { kind: 'charge', reference, amountMinor, method, status: 'open', feeMinor: chargeFee(amountMinor) },
        fails ? [{ to: 'failed', afterSeconds: settleSeconds }] : [],
      );
      return await chargeOf(order, row);
    },
    async findCharge(order) {
      const row = await orders.find('charge', order.reference);
      return row && (await chargeOf(order, row));
    },
    async readCharge({ reference }) {
      const row = await orders.find('charge', reference);
      return row && { providerReference: row.provider_id, state: stateOf(row) };
    },
    async cancelCharge({ reference }) {
      const changed = await orders.change('charge', reference, ['open', 'failed'], 'canceled');
      const row = changed ?? (await orders.find('charge', reference));
      return row?.status !== 'paid';
    },
    async createPayout({ reference, amountMinor, kind: method }) {
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
      return payoutOf(row);
    },
    async findPayout({ reference }) {
      const row = await orders.find('payout', reference);
      return row && payoutOf(row);
    },
    async cancelPayout({ reference }) {
      const before = ['created', 'incoming_payment_waiting'];
      const changed = await orders.change('payout', reference, before, 'canceled');
      const row = changed ?? (await orders.find('payout', reference));
      return row?.status === 'canceled';
    },
    async issueTaxDocument({ reference, serviceCode, amountMinor }) {
      const fails = serviceCode === FAILING_SERVICE_CODE;
      const status = fails ? 'failed' : 'issued';
      const kind = 'tax_document';
      await orders.record({ kind, reference, amountMinor, method: serviceCode, status, feeMinor: 0 });
      const reason = fails ? `The municipality does not know the service code ${serviceCode}.` : undefined;
      return documentOf(reference, status, reason);
    },
    async findTaxDocument({ reference }) {
      const row = await orders.find('tax_document', reference);
      return row && documentOf(reference, row.status === 'issued' ? 'issued' : 'canceled');
    },
    async cancelTaxDocument({ reference }) {
      await orders.change('tax_document', reference, ['issued'], 'canceled');
      return documentOf(reference, 'canceled');
    },
    async fetchFile() {
      throw new ProviderRefusal('The sandbox keeps no files.');
    },
  };
}

const payoutOf = (row: OrderRow): OrderReport => ({
  providerReference: row.provider_id,
  state: stateOf(row),
});

/** Number and files of its documents are of our making. */
const documentOf = (
  reference: string,
  status: TaxDocumentReport['status'],
  reason?: string,
): TaxDocumentReport => ({
  providerReference: reference,
  status,
  reason,
  cancelPending: false,
  cancelRefused: undefined,
  issued: undefined,
});
