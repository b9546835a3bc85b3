/** Control routes for payments, transfers and invoices: actions of payers, banks and municipalities. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { addDays } from '../days.ts';
import { badRequest } from './errors.ts';
import { issue, markCancellationDenied, markInvoiceCanceled, reject, renderInvoice } from './invoice-life.ts';
import { findInvoice } from './invoices.ts';
import { pay, payAgain, receiveDunning, receiveInCash, requestDunning } from './payment-money.ts';
import { emitPayment, findPayment, makeOverdue, removePayment, restorePayment } from './payment-orders.ts';
import { renderPayment } from './payment-render.ts';
import {
  concludeRefund,
  fillBoletoRefund,
  loseInfraction,
  moveChargeback,
  refund,
  requestBoletoRefund,
  requestChargeback,
} from './payment-returns.ts';
import { Day, Reais } from './requests.ts';
import type { AsaasServices } from './services.ts';
import type { Account, Payment } from './state.ts';
import { authorize, block, cancel, complete, fail, giveBack, renderTransfer } from './transfer-life.ts';
import { findTransfer } from './transfers.ts';

type AccountOf = (c: Context) => Account;

const Paying = z.strictObject({
  value: Reais.optional(),
  billingType: z.enum(['PIX', 'BOLETO', 'CREDIT_CARD']).optional(),
  /** The payer's day. */
  on: Day.optional(),
});
const PayingAgain = z.strictObject({ as: z.enum(['new_payment', 'credit']).default('new_payment') });
const Risk = z.strictObject({ step: z.enum(['analyse', 'approve', 'reprove']) });
const Dunning = z.strictObject({ step: z.enum(['request', 'receive']) });
const Value = z.strictObject({ value: Reais.optional() });
const Infraction = z.strictObject({ stated: z.boolean().default(true), listed: z.boolean().default(true) });
const Chargeback = z.strictObject({
  step: z.enum(['request', 'dispute', 'won', 'reversed', 'lost']),
  reason: z.string().default('FRAUD'),
  value: Reais.optional(),
});
const TransferStep = z.strictObject({
  step: z.enum(['authorize', 'done', 'fail', 'block', 'cancel', 'return']),
  reason: z.string().default('Conta do recebedor encerrada.'),
  value: Reais.optional(),
  show: z.enum(['DONE', 'FAILED', 'CANCELLED']).default('DONE'),
  /** Whether a returned transfer gives back its fee. */
  fee: z.boolean().default(false),
});
const InvoiceStep = z.strictObject({
  step: z.enum(['issue', 'error', 'canceled', 'denied']),
  message: z.string().default('E0999: recusado pela prefeitura.'),
});

type Step = (account: Account, payment: Payment, body: unknown) => void;

export function addPaymentControl(app: Hono, services: AsaasServices, accountOf: AccountOf): void {
  const steps: Record<string, Step> = {
    pay: (account, payment, body) => {
      const { value, billingType, on } = Paying.parse(body);
      pay(services, account, payment, {
        ...(on === undefined ? {} : { on }),
        ...(value === undefined ? {} : { value }),
        ...(billingType === undefined ? {} : { billingType }),
      });
    },
    'refuse-card': (account, payment) =>
      emitPayment(services, account, 'PAYMENT_CREDIT_CARD_CAPTURE_REFUSED', payment),
    risk: (account, payment, body) => judgeRisk(services, account, payment, Risk.parse(body).step),
    'receive-in-cash': (account, payment, body) =>
      receiveInCash(services, account, payment, { value: Value.parse(body).value, paymentDate: undefined }),
    delete: (account, payment) => removePayment(services, account, payment),
    restore: (account, payment) => restorePayment(services, account, payment),
    overdue: (account, payment) => {
      payment.dueDate = addDays(services.today(), -1);
      makeOverdue(services, account, payment);
    },
    dunning: (account, payment, body) =>
      Dunning.parse(body).step === 'request'
        ? requestDunning(services, account, payment)
        : receiveDunning(services, account, payment),
    refund: (account, payment, body) =>
      refund(services, account, payment, { value: Value.parse(body).value, description: null }),
    'refund-page': (account, payment) => {
      requestBoletoRefund(services, payment);
      fillBoletoRefund(services, account, payment);
    },
    'infraction-lost': (account, payment, body) =>
      loseInfraction(services, account, payment, Infraction.parse(body)),
    chargeback: (account, payment, body) => {
      const { step, reason, value } = Chargeback.parse(body);
      if (step === 'request') requestChargeback(services, account, payment, { reason, value });
      else moveChargeback(services, account, payment, step);
    },
  };

  app.post('/accounts/:account/payments/:id/pay-again', async (c) => {
    const account = accountOf(c);
    const { as } = PayingAgain.parse(await c.req.json());
    const paid = payAgain(services, account, findPayment(account, c.req.param('id')), as);
    return c.json(renderPayment(services, account, paid));
  });

  app.post('/accounts/:account/payments/:id/:step', async (c) => {
    const account = accountOf(c);
    const payment = findPayment(account, c.req.param('id'));
    const step = steps[c.req.param('step')];
    if (step === undefined)
      throw badRequest('unknown_step', `The steps are ${Object.keys(steps).join(', ')}.`);
    step(account, payment, await c.req.json());
    return c.json(renderPayment(services, account, payment));
  });

  app.post('/accounts/:account/payments/:id/refund/:outcome{done|denied}', (c) => {
    const account = accountOf(c);
    const payment = findPayment(account, c.req.param('id'));
    const begun = payment.refunds.find(({ status }) => status !== 'DONE' && status !== 'CANCELLED');
    const outcome = c.req.param('outcome') === 'done' ? 'DONE' : 'CANCELLED';
    concludeRefund(services, account, payment, begun?.id ?? '', outcome);
    return c.json(renderPayment(services, account, payment));
  });
}

function judgeRisk(
  services: AsaasServices,
  account: Account,
  payment: Payment,
  step: z.output<typeof Risk>['step'],
): void {
  if (step === 'analyse') {
    payment.status = 'AWAITING_RISK_ANALYSIS';
    emitPayment(services, account, 'PAYMENT_AWAITING_RISK_ANALYSIS', payment);
  } else if (step === 'approve') {
    emitPayment(services, account, 'PAYMENT_APPROVED_BY_RISK_ANALYSIS', payment);
    pay(services, account, payment, { billingType: 'CREDIT_CARD' });
  } else {
    payment.status = 'PENDING';
    emitPayment(services, account, 'PAYMENT_REPROVED_BY_RISK_ANALYSIS', payment);
  }
}

export function addTransferControl(app: Hono, services: AsaasServices, accountOf: AccountOf): void {
  app.post('/accounts/:account/transfers/:id', async (c) => {
    const account = accountOf(c);
    const transfer = findTransfer(account, c.req.param('id'));
    const { step, reason, value, show, fee } = TransferStep.parse(await c.req.json());
    if (step === 'authorize') authorize(services, account, transfer);
    else if (step === 'done') complete(services, account, transfer);
    else if (step === 'fail') fail(services, account, transfer, reason);
    else if (step === 'block') block(services, account, transfer);
    else if (step === 'cancel') cancel(services, account, transfer, reason);
    else giveBack(services, account, transfer, { value, show, fee });
    return c.json(renderTransfer(services, transfer));
  });
}

const AnyEvent = z.strictObject({
  event: z.string(),
  subject: z.enum(['payment', 'transfer', 'invoice']),
  id: z.string(),
  /** Members that differ from the resource. */
  change: z.record(z.string(), z.unknown()).default({}),
});

/** Sends an event of any name about a resource, with changed members: for events that are unknown to clients. */
export function addEventControl(app: Hono, services: AsaasServices, accountOf: AccountOf): void {
  app.post('/accounts/:account/events', async (c) => {
    const account = accountOf(c);
    const { event, subject, id, change } = AnyEvent.parse(await c.req.json());
    const render = {
      payment: () => renderPayment(services, account, findPayment(account, id)),
      transfer: () => renderTransfer(services, findTransfer(account, id)),
      invoice: () => renderInvoice(services, account, findInvoice(account, id)),
    };
    const shown = { ...render[subject](), ...change };
    services.emit(account, event, subject, shown, 'all');
    return c.json(shown);
  });
}

export function addInvoiceControl(app: Hono, services: AsaasServices, accountOf: AccountOf): void {
  app.post('/accounts/:account/invoices/:id', async (c) => {
    const account = accountOf(c);
    const invoice = findInvoice(account, c.req.param('id'));
    const { step, message } = InvoiceStep.parse(await c.req.json());
    if (step === 'issue') issue(services, account, invoice);
    else if (step === 'error') reject(services, account, invoice, message);
    else if (step === 'canceled') markInvoiceCanceled(services, account, invoice);
    else markCancellationDenied(services, account, invoice, message);
    return c.json(renderInvoice(services, account, invoice));
  });
}
