/** What payers, banks, agencies and the account's owner do. */
import { randomUUID } from 'node:crypto';
import { type FakeKit, partsOf } from '../../fakes/fake.ts';
import { DIGITS, LOWERCASE, randomText } from '../../fakes/random.ts';
import { addDays } from '../days.ts';
import { type Desk, find } from './desk.ts';
import { concludeCancellation } from './invoices.ts';
import { type OptionsOrder, withOptions } from './options.ts';
import { dun, judgeRisk, type Paying, pay, payAgain, receiveInCash } from './payment-money.ts';
import { emitPayment, makeOverdue, removePayment, renderPayment, restorePayment } from './payment-orders.ts';
import {
  begunRefund,
  concludeRefund,
  fillBoletoRefund,
  loseInfraction,
  moveChargeback,
  refund,
} from './payment-returns.ts';
import type { Account, Payment } from './state.ts';
import { moveTransfer, type TransferStep } from './transfers.ts';

export interface AccountOrder {
  /** In reais. */
  balance?: number;
  options?: OptionsOrder;
}

interface BlockOrder {
  step: 'block' | 'unblock';
  /** In reais. */
  value: number;
  type?: keyof typeof BLOCK_ENTRIES;
  /** Id of the payment that the event names. */
  payment?: string;
  /** Whether the statement line names the payment, too. */
  lineNames?: boolean;
  /** Whether the event is sent and the line is added. */
  notified?: boolean;
  stated?: boolean;
}

/** Statement types of a block and its end. */
const BLOCK_ENTRIES = {
  JUDICIAL: { block: 'BACEN_JUDICIAL_LOCK', unblock: 'BACEN_JUDICIAL_UNLOCK' },
  PIX_INFRACTION: { block: 'DEBIT', unblock: 'DEBIT_REVERSAL' },
  CONTRACTUAL_EFFECT: {
    block: 'CONTRACTUAL_EFFECT_SETTLEMENT',
    unblock: 'CONTRACTUAL_EFFECT_SETTLEMENT_REVERSAL',
  },
};

/** Details of a step: `value` is in reais. */
export interface StepDetails extends Omit<Paying, 'value'> {
  value?: number;
  // biome-ignore lint/suspicious/noExplicitAny: each step reads its own
  [more: string]: any;
}

const cents = (reais: number): number => Math.round(reais * 100);
const centsOf = ({ value }: StepDetails) => (value === undefined ? undefined : cents(value));

/** What payers, banks, agencies and the account's owner do with a payment. */
const STEPS = {
  pay: (desk: Desk, payment: Payment, details: StepDetails) =>
    pay(desk, payment, { ...details, value: centsOf(details) }),
  'pay-again': (desk: Desk, payment: Payment, { as = 'new_payment' }: StepDetails) =>
    payAgain(desk, payment, as),
  'refuse-card': (desk: Desk, payment: Payment) =>
    emitPayment(desk, 'PAYMENT_CREDIT_CARD_CAPTURE_REFUSED', payment),
  risk: (desk: Desk, payment: Payment, { step }: StepDetails) => judgeRisk(desk, payment, step),
  'receive-in-cash': receiveInCash,
  delete: removePayment,
  restore: restorePayment,
  overdue: (desk: Desk, payment: Payment) => {
    payment.dueDate = addDays(desk.today(), -1);
    makeOverdue(desk, payment);
  },
  dunning: (desk: Desk, payment: Payment, { step }: StepDetails) => dun(desk, payment, step),
  refund: (desk: Desk, payment: Payment, details: StepDetails) =>
    refund(desk, payment, { value: centsOf(details) }),
  'refund-page': fillBoletoRefund,
  'refund/done': (desk: Desk, payment: Payment) =>
    concludeRefund(desk, payment, begunRefund(payment), 'DONE'),
  'refund/denied': (desk: Desk, payment: Payment) =>
    concludeRefund(desk, payment, begunRefund(payment), 'CANCELLED'),
  'infraction-lost': loseInfraction,
  chargeback: (desk: Desk, payment: Payment, details: StepDetails) =>
    moveChargeback(desk, payment, { step: details.step, value: centsOf(details) }),
};
export type PaymentStep = keyof typeof STEPS;

export function createControls(kit: FakeKit<Account>, desk: (id: string) => Desk) {
  const payment = (id: string, payment: string, step: PaymentStep, details: StepDetails = {}) => {
    const at = desk(id);
    const known = find(at.account.payments, payment);
    return renderPayment(at, STEPS[step](at, known, details) ?? known);
  };
  return {
    createAccount({ balance = 0, options }: AccountOrder = {}) {
      const apiKey = `$aact_hmlg_${randomText(LOWERCASE + DIGITS, 48)}`;
      const lists = { customers: [], payments: [], transfers: [], invoices: [], webhooks: [], statement: [] };
      const account: Account = {
        id: randomUUID(),
        name: 'Placar Demonstracao',
        keys: [{ key: apiKey, enabled: true }],
        options: withOptions(options),
        ...lists,
        withdrawalValidation: null,
      };
      kit.state.accounts[account.id] = account;
      desk(account.id).enter({ type: 'CREDIT', value: cents(balance), description: 'Saldo inicial' });
      return { id: account.id, apiKey };
    },
    /** The state of an account, or only these members of it. Amounts are in cents. */
    account: (id: string, ...parts: (keyof Account)[]) => partsOf(desk(id).account, parts),
    options(id: string, change: OptionsOrder) {
      const { account } = desk(id);
      account.options = withOptions(change, account.options);
    },
    /** Adds, disables or enables a key. */
    key(id: string, key: string, { enabled }: { enabled: boolean }) {
      const { account } = desk(id);
      account.keys = [...account.keys.filter((known) => known.key !== key), { key, enabled }];
    },
    /** Registers the withdrawal validation URL. */
    withdrawalValidation(id: string, { url, authToken = null }: { url: string; authToken?: string | null }) {
      desk(id).account.withdrawalValidation = { url, authToken };
    },
    payment,
    pay: (id: string, of: string, details?: StepDetails) => payment(id, of, 'pay', details),
    transfer(id: string, transfer: string, step: TransferStep) {
      moveTransfer(desk(id), find(desk(id).account.transfers, transfer), step);
    },
    /** The municipality's response to the cancellation of an invoice, or its cancellation in the dashboard. */
    invoice(id: string, invoice: string, { step }: { step: 'canceled' | 'denied' }) {
      concludeCancellation(desk(id), find(desk(id).account.invoices, invoice), step);
    },
    balance(id: string, order: BlockOrder) {
      const { enter, emit, account, today } = desk(id);
      const {
        step,
        type = 'JUDICIAL',
        payment: paymentId,
        lineNames,
        notified = true,
        stated = true,
      } = order;
      const value = cents(order.value) * (step === 'block' ? -1 : 1);
      const description = 'Bloqueio';
      const paid = account.payments.find((one) => one.id === paymentId);
      if (stated && paid !== undefined) paid.blocked = Math.max(0, paid.blocked - value);
      const named = lineNames ? paymentId : undefined;
      if (stated) enter({ type: BLOCK_ENTRIES[type][step], value, description, paymentId: named });
      const change = { value: order.value, date: today(), description, type, paymentId };
      const event = `BALANCE_VALUE_${step === 'block' ? 'BLOCKED' : 'UNBLOCKED'}`;
      if (notified) emit(event, account.options.balanceMember, change);
    },
    /** Adds a statement entry without an event. `value` in reais. */
    statement(id: string, { type, value, description = 'Lançamento' }: StatedEntry) {
      desk(id).enter({ type, value: cents(value), description });
    },
  };
}

interface StatedEntry {
  type: string;
  value: number;
  description?: string;
}
