// Lists the orders created or changed since a time. Asaas has no such list, so this module combines several.
import type { Logger } from '../../../platform/logger.ts';
import { dayInSaoPaulo } from '../../formats/sao-paulo.ts';
import type { ListedOrder, Page } from '../accounts.ts';
import type { OrderKind } from '../order-report.ts';
import { chargeReport, mayHaveBeenDisputed, type PaymentDetails, readDisputes } from './charge-reports.ts';
import { type AsaasClient, type AsaasPage, segment } from './client.ts';
import { payoutReport, transfersSince } from './payouts.ts';
import { readRefunds } from './refund-reports.ts';
import {
  type FiscalInvoice,
  fiscalInvoice,
  type Movement,
  type Payment,
  pathOf,
  payment,
  type Transfer,
  transfer,
} from './resources.ts';
import { orderOfMovement, readStatement } from './statement.ts';
import { taxDocumentReport } from './states.ts';

type Part = (offset: number) => Promise<AsaasPage<ListedOrder>>;

export async function listOrders(
  client: AsaasClient,
  log: Logger,
  kind: OrderKind,
  since: Date,
  page: string | undefined,
): Promise<Page<ListedOrder>> {
  const parts = partsOf(client, log, kind, since);
  const [number = 0, offset = 0] = (page ?? '0.0').split('.').map(Number);
  const part = parts[number];
  if (!part) return { items: [], next: undefined };
  const { items, nextOffset } = await part(offset);
  if (nextOffset !== undefined) return { items, next: `${number}.${nextOffset}` };
  return { items, next: number + 1 < parts.length ? `${number + 1}.0` : undefined };
}

/** The lists to combine. A page cursor is the index of a list and an offset. An order may occur in several lists. */
function partsOf(client: AsaasClient, log: Logger, kind: OrderKind, since: Date): Part[] {
  const day = dayInSaoPaulo(since);

  const listedCharge = async (one: Payment, isDisputed: boolean): Promise<ListedOrder> => {
    const details: PaymentDetails = {
      disputes: isDisputed ? await readDisputes(client, one, log) : undefined,
      refunds: await readRefunds(client, one),
    };
    return { ...idsOf(one), report: chargeReport(one, undefined, details), isPartial: true };
  };

  const chargesBy =
    (query: Record<string, string>): Part =>
    async (offset) => {
      const page = await client.page('/payments', { ...query, offset }, payment);
      const items: ListedOrder[] = [];
      for (const one of page.items) items.push(await listedCharge(one, Boolean(one.chargeback)));
      return { items, nextOffset: page.nextOffset };
    };

  const payoutsBy =
    (query: Record<string, string>): Part =>
    async (offset) => {
      const page = await client.page('/transfers', { ...query, offset }, transfer);
      return { items: page.items.map(listedPayout), nextOffset: page.nextOffset };
    };

  /** Orders that the statement shows as changed: refunded, disputed or returned. */
  const changed =
    (read: (id: string) => Promise<ListedOrder | undefined>): Part =>
    async (offset) => {
      const page = await readStatement(client, since, offset);
      const ids = new Set(page.items.filter(isChange).map((line) => idOf(line, kind)));
      const items: ListedOrder[] = [];
      for (const id of ids) {
        const found = id && (await read(id));
        if (found) items.push(found);
      }
      return { items, nextOffset: page.nextOffset };
    };

  switch (kind) {
    case 'charge':
      return [
        chargesBy({ 'dateCreated[ge]': day }),
        chargesBy({ 'paymentDate[ge]': day }),
        // Card payments reach the statement only after a month.
        chargesBy({ status: 'CONFIRMED' }),
        chargesBy({ status: 'CHARGEBACK_REQUESTED' }),
        changed(async (id) => {
          const one = await client.get(pathOf({ id }), payment);
          return one && (await listedCharge(one, mayHaveBeenDisputed(one)));
        }),
      ];
    case 'payout':
      return [
        payoutsBy(transfersSince(day)),
        payoutsBy({ 'transferDate[ge]': day }),
        changed(async (id) => {
          const one = await client.get(`/transfers/${segment(id)}`, transfer);
          return one && listedPayout(one);
        }),
      ];
    case 'tax_document':
      return [
        async (offset) => {
          // Only this list spells the operator with a capital letter.
          const query = { 'effectiveDate[Ge]': day, offset };
          const page = await client.page('/invoices', query, fiscalInvoice);
          return { items: page.items.map(listedTaxDocument), nextOffset: page.nextOffset };
        },
      ];
  }
}

const ORDINARY = new Set([
  'PAYMENT_RECEIVED',
  'PAYMENT_FEE',
  'TRANSFER',
  'TRANSFER_FEE',
  'PIX_TRANSACTION_CREDIT',
  'PIX_TRANSACTION_CREDIT_FEE',
  'PIX_TRANSACTION_DEBIT',
  'PIX_TRANSACTION_DEBIT_FEE',
]);

const isChange = ({ type }: Movement) => !ORDINARY.has(type);

function idOf(line: Movement, kind: OrderKind): string | undefined {
  const order = orderOfMovement(line);
  return order?.kind === kind ? order.providerReference : undefined;
}

const listedPayout = (one: Transfer): ListedOrder => ({ ...idsOf(one), report: payoutReport(one) });

const listedTaxDocument = (one: FiscalInvoice): ListedOrder => ({
  ...idsOf(one),
  taxDocument: taxDocumentReport(one),
});

function idsOf({ id, externalReference }: Payment | Transfer | FiscalInvoice) {
  return { reference: externalReference || undefined, providerReference: id };
}
