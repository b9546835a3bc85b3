/** `/payments` and its subroutes. */
import { Hono } from 'hono';
import { z } from 'zod';
import { addDays } from '../days.ts';
import { boletoNumbers } from './boleto.ts';
import { badRequest, invalidAction, notFound } from './errors.ts';
import { receiveInCash, undoReceivedInCash } from './payment-money.ts';
import {
  changePayment,
  createPayment,
  findPayment,
  removePayment,
  restorePayment,
} from './payment-orders.ts';
import { pixQrCode } from './payment-pix.ts';
import {
  listedRefunds,
  publicRoot,
  renderChargeback,
  renderPayment,
  renderRefund,
} from './payment-render.ts';
import { refund, requestBoletoRefund } from './payment-returns.ts';
import {
  type AsaasApp,
  type AsaasContext,
  Day,
  dayRange,
  filterBy,
  newestFirst,
  page,
  Reais,
  readBody,
  readDay,
} from './requests.ts';
import type { AsaasServices } from './services.ts';
import type { Account, Payment } from './state.ts';

const RefundOrder = z.object({ value: Reais.nullish(), description: z.string().max(500).nullish() });
const CashOrder = z.object({
  paymentDate: Day.nullish(),
  value: Reais.nullish(),
  notifyCustomer: z.boolean().nullish(),
});
const AnyBody = z.unknown();

/** The numbers of a boleto, or wrong ones if the account's options require it. */
function shownNumbers({ options }: Account, boleto: Payment & { nossoNumero: string }) {
  if (options.artifacts === 'wrong_amount') return boletoNumbers({ ...boleto, value: boleto.value + 1 });
  if (options.artifacts === 'wrong_due_date')
    return boletoNumbers({ ...boleto, dueDate: addDays(boleto.dueDate, 1) });
  const good = boletoNumbers(boleto);
  if (options.artifacts !== 'bad_digit') return good;
  const wrong = (numbers: string, at: number) =>
    numbers.slice(0, at) + ((Number(numbers[at]) + 1) % 10) + numbers.slice(at + 1);
  return { barCode: wrong(good.barCode, 4), identificationField: wrong(good.identificationField, 32) };
}

export function paymentRoutes(services: AsaasServices): AsaasApp {
  const app: AsaasApp = new Hono();
  const paymentOf = (c: AsaasContext): Payment => findPayment(c.get('account'), c.req.param('id') ?? '');
  const answer = (c: AsaasContext, payment: Payment) =>
    c.json(renderPayment(services, c.get('account'), payment));

  app.post('/', async (c) =>
    answer(c, createPayment(services, c.get('account'), await readBody(c, AnyBody))),
  );

  app.get('/', (c) => {
    const account = c.get('account');
    const shown = newestFirst(account.payments).filter(
      ({ deleted }) => !deleted || account.options.listsShowDeleted,
    );
    const invoiced = (payment: Payment) => account.invoices.find((invoice) => invoice.payment === payment.id);
    const found = filterBy(c, shown, {
      customer: ({ customer }, requested) => customer === requested,
      customerGroupName: ({ customer }, requested) =>
        account.customers.find(({ id }) => id === customer)?.details.groupName === requested,
      billingType: ({ billingType }, requested) => billingType === requested,
      status: ({ status }, requested) => status === requested,
      externalReference: ({ externalReference }, requested) => externalReference === requested,
      paymentDate: ({ paymentDate }, requested) => paymentDate === readDay('paymentDate', requested),
      estimatedCreditDate: ({ estimatedCreditDate }, requested) =>
        estimatedCreditDate === readDay('estimatedCreditDate', requested),
      invoiceStatus: (payment, requested) => invoiced(payment)?.status === requested,
      subscription: () => false,
      installment: () => false,
      pixQrCodeId: () => false,
      checkoutSession: () => false,
      anticipated: (_, requested) => requested === 'false',
      anticipable: (_, requested) => requested === 'false',
      user: (_, requested) => requested === account.email,
      ...dayRange<Payment>('dateCreated', ({ dateCreated }) => dateCreated),
      ...dayRange<Payment>('paymentDate', ({ paymentDate }) => paymentDate),
      ...dayRange<Payment>('estimatedCreditDate', ({ estimatedCreditDate }) => estimatedCreditDate),
      ...dayRange<Payment>('dueDate', ({ dueDate }) => dueDate),
    });
    return c.json(page(c, found, (payment) => renderPayment(services, account, payment)));
  });

  app.get('/:id', (c) => answer(c, paymentOf(c)));
  app.get('/:id/status', (c) => c.json({ status: paymentOf(c).status }));

  app.put('/:id', async (c) => {
    const payment = paymentOf(c);
    changePayment(services, c.get('account'), payment, await readBody(c, AnyBody));
    return answer(c, payment);
  });

  app.delete('/:id', (c) => {
    const payment = paymentOf(c);
    removePayment(services, c.get('account'), payment);
    return c.json({ deleted: true, id: payment.id });
  });

  app.post('/:id/restore', (c) => {
    const payment = paymentOf(c);
    restorePayment(services, c.get('account'), payment);
    return answer(c, payment);
  });

  app.get('/:id/pixQrCode', (c) => c.json(pixQrCode(services, c.get('account'), paymentOf(c))));

  app.get('/:id/identificationField', (c) => {
    const payment = paymentOf(c);
    const { nossoNumero, deleted } = payment;
    if (nossoNumero === null) {
      throw invalidAction(
        'Somente é possível obter a linha digitável quando a forma de pagamento for boleto bancário.',
      );
    }
    if (deleted) throw invalidAction('A cobrança está removida.');
    return c.json({ ...shownNumbers(c.get('account'), { ...payment, nossoNumero }), nossoNumero });
  });

  app.get('/:id/viewingInfo', (c) => {
    const { lastInvoiceViewedDate, lastBankSlipViewedDate } = paymentOf(c);
    return c.json({ invoiceViewedDate: lastInvoiceViewedDate, boletoViewedDate: lastBankSlipViewedDate });
  });

  app.post('/:id/refund', async (c) => {
    const payment = paymentOf(c);
    const { value, description } = await readBody(c, RefundOrder);
    if (payment.billingType === 'BOLETO') {
      throw invalidAction('Boletos são estornados por /bankSlip/refund.');
    }
    refund(services, c.get('account'), payment, {
      value: value ?? undefined,
      description: description ?? null,
    });
    return answer(c, payment);
  });
  app.get('/:id/refunds', (c) => {
    const refunds = listedRefunds(c.get('account'), paymentOf(c));
    return c.json(page(c, refunds, (one) => renderRefund(services, one)));
  });
  app.post('/:id/bankSlip/refund', (c) => {
    const payment = paymentOf(c);
    requestBoletoRefund(services, payment);
    const requestUrl = `${publicRoot(services, c.get('account'))}/refundRequest/${payment.shortId}`;
    return c.json({ requestUrl });
  });

  app.get('/:id/chargeback', (c) => {
    const payment = paymentOf(c);
    if (payment.chargeback === null) throw notFound();
    return c.json(renderChargeback(payment, payment.chargeback));
  });

  app.post('/:id/receiveInCash', async (c) => {
    const payment = paymentOf(c);
    const { value, paymentDate } = await readBody(c, CashOrder);
    if (paymentDate && paymentDate > services.today()) {
      throw badRequest('invalid_paymentDate', 'A data de pagamento não pode ser futura.');
    }
    const cash = { value: value ?? undefined, paymentDate: paymentDate ?? undefined };
    receiveInCash(services, c.get('account'), payment, cash);
    return answer(c, payment);
  });
  app.post('/:id/undoReceivedInCash', (c) => {
    const payment = paymentOf(c);
    undoReceivedInCash(services, c.get('account'), payment);
    return answer(c, payment);
  });

  return app;
}
