// Maps Asaas payments to order reports: state, fees and adjustments.
import { errorFields, type Logger } from '../../../platform/logger.ts';
import { toMinorUnits } from '../../formats/currencies.ts';
import { dayInSaoPaulo, startOfDay } from '../../formats/sao-paulo.ts';
import type { DisputeReport } from '../charge-port.ts';
import { type Division, type DueTerms, divide } from '../due-terms.ts';
import { ProviderKeyRejected } from '../errors.ts';
import type { AdjustmentTotal, OrderReport } from '../order-report.ts';
import type { AsaasClient, AsaasPage } from './client.ts';
import { termsOf } from './due.ts';
import { refundReports } from './refund-reports.ts';
import { type Movement, movement, type Payment, type Refund } from './resources.ts';
import { chargeStatus, isDisputed, paidBy, wasPaid } from './states.ts';

/** Dispute movements of a payment on the statement, in signed minor units. */
export interface Disputes {
  withdrawnMinor: number;
  returnedMinor: number;
}

const minor = (units: number) => toMinorUnits(units, 'BRL');

/** What Asaas shows about a payment elsewhere. */
export interface PaymentDetails {
  /** From the statement. Undefined if it was not read. */
  disputes?: Disputes | undefined;
  /** The payment's refunds. Empty if it shows none. */
  refunds?: readonly Refund[] | undefined;
}

/** The ordered charge. `amountMinor` is undefined if unknown: over- and underpayments are then not reported. */
interface Ordered {
  amountMinor: number | undefined;
  due?: DueTerms | undefined;
  /** The payer's day, as reported before. */
  paidOn?: string | undefined;
}

/** The parts of the order that the payment itself shows: the amount before it was paid, and its terms. */
const orderedBy = (payment: Payment): Ordered => ({
  amountMinor: payment.originalValue ? minor(payment.originalValue) : undefined,
  due: termsOf(payment),
});

const payerDayOf = ({ clientPaymentDate, confirmedDate, paymentDate }: Payment): string | undefined =>
  (clientPaymentDate ?? confirmedDate ?? paymentDate)?.slice(0, 10);

/** How the amount of a paid payment is divided. Undefined if the ordered amount is unknown. */
function divisionOf(payment: Payment, { amountMinor, due, paidOn }: Ordered): Division | undefined {
  const { interestValue } = payment;
  if (amountMinor === undefined) return undefined;
  return divide(amountMinor, due, {
    amountMinor: minor(payment.value),
    on: payerDayOf(payment) ?? paidOn ?? dayInSaoPaulo(new Date()),
    feesForLatenessMinor: typeof interestValue === 'number' ? minor(interestValue) : undefined,
  });
}

/** Without `ordered`, uses the values from the payment. */
export function chargeReport(
  payment: Payment,
  ordered: Ordered | undefined,
  { disputes, refunds = [] }: PaymentDetails = {},
): OrderReport {
  const gross = minor(payment.value);
  const net = minor(payment.netValue ?? payment.value);
  const paid = wasPaid(payment);
  const order = ordered ?? orderedBy(payment);
  const division = paid ? divisionOf(payment, order) : undefined;
  const covered = division?.covered ?? true;
  return {
    providerReference: payment.id,
    state: {
      status: paid && !covered ? 'open' : chargeStatus(payment),
      at: new Date(),
      feeMinor: paid && covered && typeof payment.netValue === 'number' ? gross - net : undefined,
      availableOn: paid ? (payment.creditDate ?? payment.estimatedCreditDate ?? undefined) : undefined,
      paidOn: paid ? payerDayOf(payment) : undefined,
      reason: undefined,
      paidBy: paidBy(payment),
    },
    refunds: refundReports(payment, refunds, Boolean(payment.chargeback || disputes?.withdrawnMinor)),
    disputes: chargebackOf(payment, gross),
    adjustments: [
      ...(paid ? paidAdjustments(payment, net, division, order.due) : []),
      ...disputeTotals(payment, gross, disputes),
    ],
  };
}

/**
 * Like `chargeReport`, for an order with several payments: their sum covers the order, and the excess is an overpayment. `payments`
 * must start with the paid ones. Only the first payment can have a discount, fine and interest.
 */
export function combinedChargeReport(
  payments: readonly [Payment, ...Payment[]],
  ordered: Ordered & { amountMinor: number },
  detailsOf: (payment: Payment) => PaymentDetails | undefined,
): OrderReport {
  const [first] = payments;
  const paid = payments.filter(wasPaid);
  if (paid.length < 2) return chargeReport(first, ordered, detailsOf(first));
  // Treats each payment as if it were the whole order.
  const reports = paid.map((payment) =>
    chargeReport(payment, { amountMinor: minor(payment.value) }, detailsOf(payment)),
  );
  const receivedMinor = paid.reduce((sum, { value }) => sum + minor(value), 0);
  const feesMinor = reports.reduce((sum, report) => sum + (report.state.feeMinor ?? 0), 0);
  const sums = new Map<AdjustmentTotal['reason'], number>();
  for (const { reason, amountMinor } of reports.flatMap(({ adjustments = [] }) => adjustments))
    sums.set(reason, (sums.get(reason) ?? 0) + amountMinor);
  // If the returned amount of one dispute is unknown, the total is unknown.
  const isUnknownWon = ({ adjustments = [] }: OrderReport) =>
    adjustments.some(({ reason }) => reason === 'chargeback') &&
    !adjustments.some(({ reason }) => reason === 'chargeback_won');
  if (reports.some(isUnknownWon)) sums.delete('chargeback_won');
  const division = divisionOf(first, ordered);
  const own = division?.covered ? division : undefined;
  const dueMinor = ordered.amountMinor + (own ? own.fine + own.interest - own.discount : 0);
  const covered = receivedMinor >= dueMinor;
  sums.set('overpaid', covered ? receivedMinor - dueMinor : 0);
  sums.set('partial_payment', covered ? 0 : receivedMinor - feesMinor);
  for (const { reason, amountMinor } of dueAdjustments(own, ordered.due)) sums.set(reason, amountMinor);
  const { providerReference, state } = chargeReport(first, ordered, detailsOf(first));
  return {
    refunds: reports.flatMap(({ refunds = [] }) => refunds),
    disputes: reports.flatMap(({ disputes = [] }) => disputes),
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
  net: number,
  division: Division | undefined,
  due: DueTerms | undefined,
): AdjustmentTotal[] {
  const outside = total('received_outside', status === 'RECEIVED_IN_CASH' ? -net : 0);
  if (!division) return [outside];
  return [
    ...dueAdjustments(division, due),
    outside,
    total('overpaid', division.overpaid),
    total('partial_payment', division.covered ? 0 : net),
  ];
}

/** Fine, interest and discount of an order with due terms. Other orders have none. */
const dueAdjustments = (division: Division | undefined, due: DueTerms | undefined): AdjustmentTotal[] =>
  due
    ? [
        total('fine', division?.fine ?? 0),
        total('interest', division?.interest ?? 0),
        total('discount', -(division?.discount ?? 0)),
      ]
    : [];

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
      );
      for (const { paymentId, type, value } of page.items) {
        if (paymentId !== payment.id) continue;
        if (type === 'CHARGEBACK') disputes.withdrawnMinor += minor(value);
        if (type === 'CHARGEBACK_REVERSAL') disputes.returnedMinor += minor(value);
      }
      offset = page.nextOffset;
    }
  } catch (error) {
    if (client.signal.aborted || error instanceof ProviderKeyRejected) throw error;
    log.warn('Asaas statement unavailable', errorFields(error));
    return undefined;
  }
  const complete = offset === undefined || disputes.returnedMinor !== 0;
  return complete ? disputes : undefined;
}
