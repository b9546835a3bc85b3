/** Creates, changes, deletes and restores payments. */
import { z } from 'zod';
import { addDays } from '../days.ts';
import { DIGITS, randomText } from '../random.ts';
import { saoPaulo } from './calendar.ts';
import { AsaasError, badRequest, type ErrorItem, invalidAction, notFound } from './errors.ts';
import { renderPayment } from './payment-render.ts';
import { check, Day, Reais } from './requests.ts';
import { type AsaasServices, paymentIds } from './services.ts';
import type { Account, BillingType, Payment } from './state.ts';

const Rule = z.object({
  value: z.number().nonnegative(),
  type: z.enum(['FIXED', 'PERCENTAGE']).nullish(),
});

const terms = {
  description: z.string().max(500).nullish(),
  externalReference: z.string().nullish(),
  daysAfterDueDateToRegistrationCancellation: z.int().nonnegative().nullish(),
  discount: Rule.extend({ dueDateLimitDays: z.int().nonnegative().nullish() }).nullish(),
  interest: z.object({ value: z.number().nonnegative() }).nullish(),
  fine: Rule.nullish(),
  callback: z
    .object({ successUrl: z.url({ protocol: /^https?$/ }), autoRedirect: z.boolean().nullish() })
    .nullish(),
};
const billingType = z.enum(['BOLETO', 'CREDIT_CARD', 'PIX', 'UNDEFINED']);

const NewPayment = z.object({
  customer: z.string(),
  billingType,
  value: Reais,
  dueDate: Day,
  ...terms,
  postalService: z.boolean().nullish(),
  installmentCount: z.int().nullish(),
  split: z.array(z.unknown()).nullish(),
});
const PaymentChange = z.object({ billingType, value: Reais, dueDate: Day, ...terms });

/** The fee of a payment method in cents. */
export function feeOf(account: Account, billingType: BillingType, value: number): number {
  const { pix, boleto, cardFixed, cardPercent } = account.options.fees;
  if (billingType === 'PIX') return pix;
  if (billingType === 'CREDIT_CARD') return cardFixed + Math.round((value * cardPercent) / 100);
  return boleto;
}

export function findPayment(account: Account, id: string): Payment {
  const payment = account.payments.find((candidate) => candidate.id === id);
  if (payment === undefined) throw notFound();
  return payment;
}

export const emitPayment = (
  services: AsaasServices,
  account: Account,
  event: string,
  payment: Payment,
): void => services.emit(account, event, 'payment', renderPayment(services, account, payment));

function checkTerms(
  services: AsaasServices,
  account: Account,
  { value, dueDate, discount }: { value: number; dueDate: string } & Pick<Terms, 'discount'>,
): void {
  const errors: ErrorItem[] = [];
  const { minCharge } = account.options;
  if (value <= 0 || value < minCharge) {
    const min = (minCharge / 100).toFixed(2).replace('.', ',');
    errors.push({
      code: 'invalid_value',
      description: `O valor da cobrança deve ser de no mínimo R$ ${min}.`,
    });
  }
  if (dueDate < services.today()) {
    const description = 'Não é permitido data de vencimento inferior a hoje.';
    errors.push({ code: 'invalid_dueDate', description });
  }
  if (discount && discount.value >= (discount.type === 'PERCENTAGE' ? 100 : value / 100)) {
    const description = 'O desconto deve ser menor que o valor da cobrança.';
    errors.push({ code: 'invalid_discount', description });
  }
  if (errors.length > 0) throw new AsaasError(400, errors);
}

/** Payers can be redirected only to the account's own domain. */
function checkCallback(account: Account, successUrl: string | undefined): void {
  const { site } = account.options;
  if (successUrl === undefined || site === '*') return;
  const { hostname } = new URL(successUrl);
  if (site !== null && (hostname === site || hostname.endsWith(`.${site}`))) return;
  const description = 'A URL de retorno deve ser do mesmo domínio cadastrado em seus dados comerciais.';
  throw badRequest('invalid_object', description);
}

/** Checks the customer first, because an empty body results only in this error. */
export function createPayment(services: AsaasServices, account: Account, body: unknown): Payment {
  const { customer: customerId } = z
    .looseObject({ customer: z.unknown() })
    .catch({ customer: null })
    .parse(body);
  const customer = account.customers.find(({ id, deleted }) => id === customerId && !deleted);
  if (customer === undefined) throw badRequest('invalid_customer', 'Customer inválido ou não informado.');
  const order = check(NewPayment, body);
  if ((order.installmentCount ?? 1) > 1 || (order.split ?? []).length > 0) {
    throw new AsaasError(501, [
      { code: 'not_emulated', description: 'Installments and splits are not emulated.' },
    ]);
  }
  checkTerms(services, account, order);
  checkCallback(account, order.callback?.successUrl);
  const hasBoleto = order.billingType === 'BOLETO' || order.billingType === 'UNDEFINED';
  const number = services.kit.nextNumber();
  const payment: Payment = {
    ...paymentIds(account.options.idFormat),
    number,
    dateCreated: services.today(),
    customer: customer.id,
    billingType: order.billingType,
    value: order.value,
    originalValue: null,
    interestValue: null,
    fee: feeOf(account, order.billingType, order.value),
    status: 'PENDING',
    description: order.description ?? null,
    externalReference: order.externalReference ?? null,
    dueDate: order.dueDate,
    originalDueDate: order.dueDate,
    deleted: false,
    confirmedDate: null,
    clientPaymentDate: null,
    paymentDate: null,
    creditDate: null,
    estimatedCreditDate: null,
    credited: false,
    pixTransaction: null,
    nossoNumero: hasBoleto ? randomText(DIGITS.slice(1), 8) : null,
    lastInvoiceViewedDate: null,
    lastBankSlipViewedDate: null,
    ...termsOf(order),
    refunds: [],
    blocked: 0,
    chargeback: null,
    pixPayload: null,
    creditJob: null,
    overdueJob: null,
  };
  account.payments.push(payment);
  planOverdue(services, account, payment);
  emitPayment(services, account, 'PAYMENT_CREATED', payment);
  return payment;
}

type Terms = Pick<z.output<typeof PaymentChange>, keyof typeof terms>;

function termsOf(order: Terms) {
  const { discount, fine, interest, callback } = order;
  const rule = (given: Terms['fine']) => {
    const type = given?.type ?? 'FIXED';
    return { type, value: type === 'FIXED' ? Math.round((given?.value ?? 0) * 100) : (given?.value ?? 0) };
  };
  return {
    discount: { ...rule(discount), dueDateLimitDays: discount?.dueDateLimitDays ?? 0 },
    fine: rule(fine),
    interest: { value: interest?.value ?? 0 },
    daysAfterDueDateToRegistrationCancellation: order.daysAfterDueDateToRegistrationCancellation ?? null,
    callback: callback
      ? { successUrl: callback.successUrl, autoRedirect: callback.autoRedirect ?? true }
      : null,
  };
}

const isOpen = ({ status, deleted }: Payment): boolean =>
  !deleted && (status === 'PENDING' || status === 'OVERDUE');

export function changePayment(
  services: AsaasServices,
  account: Account,
  payment: Payment,
  body: unknown,
): void {
  const order = check(PaymentChange, body);
  if (!isOpen(payment)) {
    throw invalidAction('Somente é possível editar cobranças aguardando pagamento ou vencidas.');
  }
  if (order.dueDate !== payment.dueDate || order.value !== payment.value)
    checkTerms(services, account, order);
  Object.assign(payment, termsOf(order), {
    billingType: order.billingType,
    value: order.value,
    fee: feeOf(account, order.billingType, order.value),
    dueDate: order.dueDate,
    ...(order.description === undefined ? {} : { description: order.description }),
    ...(order.externalReference === undefined ? {} : { externalReference: order.externalReference }),
  });
  const needsBoleto = order.billingType === 'BOLETO' || order.billingType === 'UNDEFINED';
  if (needsBoleto) payment.nossoNumero ??= randomText(DIGITS.slice(1), 8);
  if (payment.status === 'OVERDUE' && payment.dueDate >= services.today()) payment.status = 'PENDING';
  // The Pix code contains the old details.
  payment.pixPayload = null;
  planOverdue(services, account, payment);
  emitPayment(services, account, 'PAYMENT_UPDATED', payment);
}

export function removePayment(services: AsaasServices, account: Account, payment: Payment): void {
  if (!isOpen(payment)) {
    throw invalidAction('Somente é possível remover cobranças aguardando pagamento ou vencidas.');
  }
  payment.deleted = true;
  emitPayment(services, account, 'PAYMENT_DELETED', payment);
}

export function restorePayment(services: AsaasServices, account: Account, payment: Payment): void {
  if (!payment.deleted) throw invalidAction('Esta cobrança não está removida.');
  payment.deleted = false;
  payment.status = payment.dueDate < services.today() ? 'OVERDUE' : 'PENDING';
  emitPayment(services, account, 'PAYMENT_RESTORED', payment);
}

/** A charge becomes overdue at the beginning of the day after its due date in São Paulo. */
export function planOverdue(services: AsaasServices, account: Account, payment: Payment): void {
  if (payment.overdueJob !== null) services.kit.scheduler.cancel(payment.overdueJob);
  const startsAt = saoPaulo.startOf(addDays(payment.dueDate, 1));
  payment.overdueJob = services.kit.scheduler.schedule('payments:overdue', startsAt, {
    account: account.id,
    payment: payment.id,
  });
}

export function makeOverdue(services: AsaasServices, account: Account, payment: Payment): void {
  if (payment.deleted || payment.status !== 'PENDING') return;
  payment.status = 'OVERDUE';
  emitPayment(services, account, 'PAYMENT_OVERDUE', payment);
}
