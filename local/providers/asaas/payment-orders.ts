/** Creates, deletes and restores payments, and renders them. Members and nulls match captured responses. */
import { z } from 'zod';
import { DIGITS, LOWERCASE, randomText, UPPERCASE } from '../../fakes/random.ts';
import { addDays } from '../days.ts';
import {
  asaasError,
  badRequest,
  type Desk,
  type ErrorItem,
  invalidAction,
  reaisOrNull,
  saoPaulo,
  toReais,
} from './desk.ts';
import { Day, Reais } from './requests.ts';
import type { Account, Payment, PriceRule, Refund } from './state.ts';

const Rule = z.strictObject({ value: z.number().nonnegative(), type: z.enum(['FIXED', 'PERCENTAGE']) });

export const NewPayment = z.strictObject({
  customer: z.string(),
  billingType: z.enum(['BOLETO', 'CREDIT_CARD', 'PIX', 'UNDEFINED']),
  value: Reais,
  dueDate: Day,
  description: z.string().max(500).optional(),
  externalReference: z.string().nullish(),
  daysAfterDueDateToRegistrationCancellation: z.int().nonnegative().optional(),
  discount: Rule.extend({ dueDateLimitDays: z.int().nonnegative() }).optional(),
  interest: z.strictObject({ value: z.number().nonnegative() }).optional(),
  fine: Rule.optional(),
  callback: z.strictObject({ successUrl: z.url(), autoRedirect: z.boolean().optional() }).optional(),
});

/** The fee of a payment method in cents. */
export function feeOf({ options }: Account, billingType: string, value: number): number {
  const { pix, boleto, cardFixed, cardPercent } = options.fees;
  if (billingType === 'CREDIT_CARD') return cardFixed + Math.round((value * cardPercent) / 100);
  return billingType === 'PIX' ? pix : boleto;
}

const rule = (given: z.output<typeof Rule> | undefined): PriceRule =>
  given?.type === 'PERCENTAGE' ? given : { type: 'FIXED', value: Math.round((given?.value ?? 0) * 100) };

/** Payment ids have one more underscore since 2026-11. */
const paymentId = (): string =>
  `pay_${randomText(DIGITS.slice(1), 1)}_${randomText(LOWERCASE + UPPERCASE + DIGITS, 14)}`;
const newNossoNumero = (): string => randomText(DIGITS.slice(1), 8);

function checkTerms(desk: Desk, { value, dueDate, discount }: z.output<typeof NewPayment>): void {
  const errors: ErrorItem[] = [];
  const { minCharge } = desk.account.options;
  if (value <= 0 || value < minCharge)
    errors.push({
      code: 'invalid_value',
      description: `O valor da cobrança deve ser de no mínimo R$ ${toReais(minCharge).toFixed(2).replace('.', ',')}.`,
    });
  if (dueDate < desk.today())
    errors.push({
      code: 'invalid_dueDate',
      description: 'Não é permitido data de vencimento inferior a hoje.',
    });
  if (discount && discount.value >= (discount.type === 'PERCENTAGE' ? 100 : toReais(value)))
    errors.push({
      code: 'invalid_discount',
      description: 'O desconto deve ser menor que o valor da cobrança.',
    });
  if (errors.length > 0) throw asaasError(400, errors);
}

export function createPayment(desk: Desk, order: z.output<typeof NewPayment>): Payment {
  const { account } = desk;
  const { billingType, value, dueDate, discount, fine, interest } = order;
  if (!account.customers.some(({ id, deleted }) => id === order.customer && !deleted))
    throw badRequest('invalid_customer', 'Customer inválido ou não informado.');
  checkTerms(desk, order);
  // Payers can be redirected only to the account's own domain.
  if (order.callback && !account.options.callbacks)
    throw badRequest(
      'invalid_object',
      'A URL de retorno deve ser do mesmo domínio cadastrado em seus dados comerciais.',
    );
  const payment: Payment = {
    id: paymentId(),
    number: desk.kit.nextNumber(),
    dateCreated: desk.today(),
    customer: order.customer,
    billingType,
    value,
    originalValue: null,
    interestValue: null,
    fee: feeOf(account, billingType, value),
    status: 'PENDING',
    description: order.description ?? null,
    externalReference: order.externalReference ?? null,
    dueDate,
    originalDueDate: dueDate,
    deleted: false,
    confirmedDate: null,
    clientPaymentDate: null,
    paymentDate: null,
    creditDate: null,
    credited: false,
    pixTransaction: null,
    nossoNumero: billingType === 'BOLETO' || billingType === 'UNDEFINED' ? newNossoNumero() : null,
    discount: { ...rule(discount), dueDateLimitDays: discount?.dueDateLimitDays ?? 0 },
    fine: rule(fine),
    interest: { value: interest?.value ?? 0 },
    daysAfterDueDateToRegistrationCancellation: order.daysAfterDueDateToRegistrationCancellation ?? null,
    callback: order.callback ?? null,
    refunds: [],
    blocked: 0,
    chargeback: null,
  };
  account.payments.push(payment);
  desk.later('payments:overdue', saoPaulo.startOf(addDays(dueDate, 1)), payment.id);
  emitPayment(desk, 'PAYMENT_CREATED', payment);
  return payment;
}

/** A second payment of the same charge. */
export function twinOf(desk: Desk, payment: Payment): Payment {
  const twin: Payment = {
    ...structuredClone(payment),
    id: paymentId(),
    number: desk.kit.nextNumber(),
    dateCreated: desk.today(),
    status: 'PENDING',
    nossoNumero: payment.nossoNumero === null ? null : newNossoNumero(),
    credited: false,
    refunds: [],
    blocked: 0,
    chargeback: null,
  };
  desk.account.payments.push(twin);
  emitPayment(desk, 'PAYMENT_CREATED', twin);
  return twin;
}

export function removePayment(desk: Desk, payment: Payment): void {
  if (payment.deleted || !['PENDING', 'OVERDUE'].includes(payment.status))
    throw invalidAction('Somente é possível remover cobranças aguardando pagamento ou vencidas.');
  payment.deleted = true;
  emitPayment(desk, 'PAYMENT_DELETED', payment);
}

export function restorePayment(desk: Desk, payment: Payment): void {
  payment.deleted = false;
  payment.status = payment.dueDate < desk.today() ? 'OVERDUE' : 'PENDING';
  emitPayment(desk, 'PAYMENT_RESTORED', payment);
}

export function makeOverdue(desk: Desk, payment: Payment): void {
  if (payment.deleted || payment.status !== 'PENDING') return;
  payment.status = 'OVERDUE';
  emitPayment(desk, 'PAYMENT_OVERDUE', payment);
}

export const emitPayment = (desk: Desk, event: string, payment: Payment): void =>
  desk.emit(event, 'payment', renderPayment(desk, payment));

export const listedRefunds = ({ options }: Account, { billingType, refunds }: Payment): Refund[] =>
  options.boletoRefundsListed || billingType !== 'BOLETO' ? refunds : [];

export const renderRefund = ({ value, status, ...refund }: Refund) => ({
  dateCreated: refund.dateCreated,
  status,
  value: toReais(value),
  description: refund.description,
  effectiveDate: refund.effectiveDate,
});

const renderRule = ({ value, type }: PriceRule) => ({
  value: type === 'FIXED' ? toReais(value) : value,
  type,
});

export function renderPayment({ kit, account }: Desk, payment: Payment) {
  // Public addresses have an additional segment since 2026-09.
  const root = `${kit.url}/000`;
  const { value, fee, number: _n, refunds: _, credited: __, blocked: ___, chargeback, ...shown } = payment;
  const isPaid = payment.confirmedDate !== null;
  const isCard = payment.billingType === 'CREDIT_CARD';
  const refunds = listedRefunds(account, payment);
  const {
    confirmedDate,
    callback: ____,
    daysAfterDueDateToRegistrationCancellation: days,
    ...always
  } = shown;
  return {
    object: 'payment',
    ...always,
    value: toReais(value),
    netValue: toReais(value - fee),
    originalValue: reaisOrNull(payment.originalValue),
    interestValue: reaisOrNull(payment.interestValue),
    ...((isCard || isPaid) && { confirmedDate }),
    estimatedCreditDate: payment.creditDate,
    invoiceUrl: `${root}/i/${payment.id}`,
    bankSlipUrl: payment.nossoNumero === null ? null : `${root}/b/pdf/${payment.id}`,
    discount: {
      ...renderRule(payment.discount),
      dueDateLimitDays: payment.discount.dueDateLimitDays,
    },
    fine: renderRule(payment.fine),
    interest: { ...payment.interest, type: 'PERCENTAGE' },
    ...(days !== null && { daysAfterDueDateToRegistrationCancellation: days }),
    refunds: refunds.length === 0 ? null : refunds.map(renderRefund),
    ...(chargeback && {
      chargeback: { ...chargeback, payment: payment.id, reason: 'FRAUD', value: toReais(chargeback.value) },
    }),
  };
}
