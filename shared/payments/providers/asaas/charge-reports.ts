// Maps Asaas payments to order reports: state, fees and adjustments.
import { errorFields, type Logger } from '../../../platform/logger.ts';
import { toMinor } from '../decimal.ts';
import {
  type AdjustmentTotal,
  type DisputeReport,
  type OrderReport,
  ProviderKeyRejected,
} from '../provider.ts';
import type { AsaasClient, AsaasPage } from './client.ts';
import { dayInSaoPaulo, startOfDay } from './days.ts';
import { refundReports } from './refund-reports.ts';
import { type Movement, movement, type Payment, type Refund } from './resources.ts';
import { chargeStatus, isDisputed, paidBy, wasPaid } from './states.ts';

/** Dispute movements of a payment on the statement, in signed minor units. */
export interface Disputes {
  withdrawnMinor: number;
  returnedMinor: number;
}

const minor = (units: number) => toMinor(units, 'BRL');

/** What Asaas shows about a payment elsewhere. */
export interface PaymentDetails {
  /** From the statement. Undefined if it was not read. */
  disputes?: Disputes | undefined;
  /** The payment's refunds. Empty if it shows none. */
  refunds?: readonly Refund[] | undefined;
}

/** `orderedMinor` is the ordered amount; if unknown, over- and underpayments are not reported. */
export function chargeReport(
  payment: Payment,
  orderedMinor: number | undefined,
  { disputes, refunds = [] }: PaymentDetails = {},
): OrderReport {
  const gross = minor(payment.value);
  const net = minor(payment.netValue ?? payment.value);
  const expected = orderedMinor ?? (payment.originalValue ? minor(payment.originalValue) : undefined);
  const paid = wasPaid(payment);
  const covered = gross >= (expected ?? gross);
  return {
    providerReference: payment.id,
    state: {
      status: paid && !covered ? 'open' : chargeStatus(payment),
      at: new Date(),
      feeMinor: paid && covered && typeof payment.netValue === 'number' ? gross - net : undefined,
      availableOn: paid ? (payment.creditDate ?? payment.estimatedCreditDate ?? undefined) : undefined,
      reason: undefined,
      paidBy: paidBy(payment),
    },
    refunds: refundReports(payment, refunds, Boolean(payment.chargeback || disputes?.withdrawnMinor)),
    disputes: chargebackOf(payment, gross),
    adjustments: [
      ...(paid ? paidAdjustments(payment, { gross, net, expected }) : []),
      ...disputeTotals(payment, gross, disputes),
    ],
  };
}

/**
 * Like `chargeReport`, for an order with several payments: their sum covers the order, and the excess is an overpayment. `payments`
 * must start with the paid ones.
 */
export function chargeReportOfAll(
  payments: readonly [Payment, ...Payment[]],
  orderedMinor: number,
  detailsOf: (payment: Payment) => PaymentDetails | undefined,
): OrderReport {
  const [first] = payments;
  const paid = payments.filter(wasPaid);
  if (paid.length < 2) return chargeReport(first, orderedMinor, detailsOf(first));
  const sums = new Map<AdjustmentTotal['reason'], number>();
  let [receivedMinor, feesMinor] = [0, 0];
  let unknownWon = false;
  const refunds: OrderReport['refunds'] = [];
  const disputes: OrderReport['disputes'] = [];
  for (const payment of paid) {
    const grossMinor = minor(payment.value);
    // Treats the payment as if it were the whole order.
    const report = chargeReport(payment, grossMinor, detailsOf(payment));
    const { state, adjustments = [] } = report;
    refunds.push(...(report.refunds ?? []));
    disputes.push(...(report.disputes ?? []));
    receivedMinor += grossMinor;
    feesMinor += state.feeMinor ?? 0;
    for (const { reason, amountMinor } of adjustments)
      sums.set(reason, (sums.get(reason) ?? 0) + amountMinor);
    const reasons = adjustments.map(({ reason }) => reason);
    unknownWon ||= reasons.includes('chargeback') && !reasons.includes('chargeback_won');
  }
  // If the returned amount of one dispute is unknown, the total is unknown.
  if (unknownWon) sums.delete('chargeback_won');
  const covered = receivedMinor >= orderedMinor;
  sums.set('overpaid', covered ? receivedMinor - orderedMinor : 0);
  sums.set('partial_payment', covered ? 0 : receivedMinor - feesMinor);
  const { providerReference, state } = chargeReport(first, undefined, detailsOf(first));
  return {
    refunds,
    disputes,
    providerReference,
    state: { ...state, status: covered ? 'paid' : 'open', feeMinor: covered ? feesMinor : undefined },
    adjustments: [...sums].map(([reason, amountMinor]) => total(reason, amountMinor)),
  };
}

function total(reason: AdjustmentTotal['reason'], amountMinor: number): AdjustmentTotal {
  // Avoids negative zero.
  return { reason, currency: 'BRL', amountMinor: amountMinor || 0 };
}

/** Adjustments of a paid payment. When a payment is reopened, its `received_outside` entry stays, because its charge entry stays too. */
function paidAdjustments(
  { status }: Payment,
  { gross, net, expected }: { gross: number; net: number; expected: number | undefined },
): AdjustmentTotal[] {
  const outside = total('received_outside', status === 'RECEIVED_IN_CASH' ? -net : 0);
  if (expected === undefined) return [outside];
  const covered = gross >= expected;
  return [
    outside,
    total('overpaid', covered ? gross - expected : 0),
    total('partial_payment', covered ? 0 : net),
  ];
}

/** The payment's chargeback. Asaas does not report a lost one with an event, and a won one only by the payment's state. */
function chargebackOf(payment: Payment, gross: number): DisputeReport[] {
  const { chargeback } = payment;
  if (!chargeback) return [];
  const { id, status, value, disputeStartDate } = chargeback;
  const statusOf = (): DisputeReport['status'] => {
    if (status === 'DISPUTE_LOST' || payment.status === 'REFUNDED') return 'lost';
    return isDisputed(payment) ? 'open' : 'won';
  };
  return [
    {
      providerReference: id ?? payment.id,
      status: statusOf(),
      amountMinor: typeof value === 'number' ? minor(value) : gross,
      openedAt: disputeStartDate ? startOfDay(disputeStartDate) : undefined,
    },
  ];
}

/** A dispute withdraws the money when it starts. The statement shows its return. A payment may be disputed more than once. */
function disputeTotals(payment: Payment, gross: number, disputes: Disputes | undefined): AdjustmentTotal[] {
  const { withdrawnMinor = 0, returnedMinor = 0 } = disputes ?? {};
  const reported = typeof payment.chargeback?.value === 'number' ? -minor(payment.chargeback.value) : -gross;
  if (isDisputed(payment)) {
    // All earlier disputes were returned, so the current one is not on the statement yet.
    const isUnstated = withdrawnMinor + returnedMinor >= 0;
    return [
      total('chargeback', withdrawnMinor + (isUnstated ? reported : 0)),
      total('chargeback_won', returnedMinor),
    ];
  }
  if (payment.chargeback || withdrawnMinor || returnedMinor) {
    const taken = withdrawnMinor || reported;
    // The card money had not reached the balance when the dispute started, so Asaas withdrew nothing and pays it out as usual.
    const untouched = disputes?.withdrawnMinor === 0 && disputes.returnedMinor === 0;
    const won = untouched ? -taken : disputes?.returnedMinor;
    return [total('chargeback', taken), ...(won === undefined ? [] : [total('chargeback_won', won)])];
  }
  // A dispute that ended in a refund is reported only as a refund.
  return payment.status === 'REFUNDED' ? [total('chargeback', 0), total('chargeback_won', 0)] : [];
}

/** Only card payments can be disputed, and the payment's state does not show past disputes. */
export function mayHaveBeenDisputed(payment: Payment): boolean {
  return wasPaid(payment) && (Boolean(payment.chargeback) || payment.billingType?.endsWith('_CARD') === true);
}

/** Maximum statement pages for payments that may have been disputed, and for disputed ones, whose ledger entries depend on them. */
const MAX_PAGES = 3;
const MAX_PAGES_OF_DISPUTED = 30;

/** Returns undefined if the statement could not be read completely. */
export async function readDisputes(
  client: AsaasClient,
  payment: Payment,
  log: Logger,
  signal: AbortSignal,
): Promise<Disputes | undefined> {
  const isKnown = Boolean(payment.chargeback) || isDisputed(payment);
  const maxPages = isKnown ? MAX_PAGES_OF_DISPUTED : MAX_PAGES;
  const paidOn = payment.confirmedDate ?? payment.paymentDate ?? payment.dateCreated;
  // Starting here includes either both movements of an earlier dispute or neither.
  const startDate = payment.chargeback?.disputeStartDate ?? paidOn ?? dayInSaoPaulo(new Date());
  const query = { startDate: startDate.slice(0, 10), order: 'desc' };
  const disputes = { withdrawnMinor: 0, returnedMinor: 0 };
  let offset: number | undefined = 0;
  try {
    for (let pages = 0; pages < maxPages && offset !== undefined; pages++) {
      const page: AsaasPage<Movement> = await client.page(
        '/financialTransactions',
        { ...query, offset },
        movement,
        signal,
      );
      for (const { paymentId, type, value } of page.items) {
        if (paymentId !== payment.id) continue;
        if (type === 'CHARGEBACK') disputes.withdrawnMinor += minor(value);
        if (type === 'CHARGEBACK_REVERSAL') disputes.returnedMinor += minor(value);
      }
      offset = page.nextOffset;
    }
  } catch (error) {
    if (signal.aborted || error instanceof ProviderKeyRejected) throw error;
    log.warn('Asaas statement unavailable', errorFields(error));
    return undefined;
  }
  const complete = offset === undefined || disputes.returnedMinor !== 0;
  return complete ? disputes : undefined;
}
