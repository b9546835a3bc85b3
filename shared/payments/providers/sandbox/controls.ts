// Controls that only the sandbox has: simulate payers, banks and settlement.
import { constantTimeEqual } from '../../../platform/crypto.ts';
import type { OrderKind } from '../order-report.ts';
import type { SandboxOrders } from './orders.ts';
import type { Change, OrderRow, SandboxPayment } from './queries.ts';
import type { SandboxRefunds } from './refunds.ts';
import { allowedPreviousScheduledStates, allowedPreviousStates, hasRule } from './rules.ts';

/** A manually triggered change of an order. */
export interface SandboxReport extends Omit<Change, 'from' | 'lookupAfterSeconds'> {
  kind: 'charge' | 'payout';
  reference: string;
}

/** A changed order and how many notifications the sandbox sends for it. */
export interface ChangedOrder {
  kind: 'charge' | 'payout';
  reference: string;
  times: number;
  /** The fallback job that looks up the order. */
  lookupJobId: string | null;
}

export type SandboxControls = ReturnType<typeof createSandboxControls>;

/** The caller looks up the order immediately. If its process dies, a job looks up the order after this time. */
const LOOKUP_AFTER_SECONDS = 5;

/** `notificationToken` authenticates deliveries to our callback. Without a token, all are rejected. */
export function createSandboxControls(
  orders: SandboxOrders,
  refunds: SandboxRefunds,
  notificationToken: string | undefined,
) {
  const changedOrder = (
    kind: ChangedOrder['kind'],
    reference: string,
    row: (OrderRow & { lookupJobId?: string | null }) | undefined,
  ): ChangedOrder => ({
    kind,
    reference,
    lookupJobId: row?.lookupJobId ?? null,
    times: row && (hasRule(row.amount, 'notifyTwice') || hasRule(row.amount, 'notifyLate')) ? 2 : 1,
  });
  const changeOrFind = async (kind: OrderKind, reference: string, change: Change) => {
    const changed = await orders.change(kind, reference, change);
    return { changed: changed !== undefined, row: changed ?? (await orders.find(kind, reference)) };
  };
  return {
    /** Pays a charge. `paidNow`: whether this call paid it. `notification`: to be processed; undefined if the charge is not paid. */
    async pay(reference: string, payment?: SandboxPayment) {
      const { changed, row } = await changeOrFind('charge', reference, {
        from: ['open'],
        to: 'paid',
        payment,
        lookupAfterSeconds: LOOKUP_AFTER_SECONDS,
      });
      const notification = row?.status === 'paid' ? changedOrder('charge', reference, row) : undefined;
      return { paidNow: changed, notification };
    },
    /** Moves an order to its scheduled state, or only notifies (`to` undefined). Returns undefined if the transition is not possible. */
    async settle(kind: ChangedOrder['kind'], reference: string, to: string | undefined) {
      if (to === undefined) return changedOrder(kind, reference, undefined);
      const reason = to === 'failed' ? 'Rejected by the sandbox.' : undefined;
      const { row } = await changeOrFind(kind, reference, {
        from: allowedPreviousScheduledStates[to] ?? [],
        to,
        reason,
      });
      return row?.status === to ? changedOrder(kind, reference, row) : undefined;
    },
    /** Applies a manual change. Invalid transitions change nothing. */
    async report({ kind, reference, ...change }: SandboxReport): Promise<ChangedOrder> {
      const from = allowedPreviousStates[kind][change.to] ?? [];
      const { row } = await changeOrFind(kind, reference, {
        ...change,
        from,
        lookupAfterSeconds: LOOKUP_AFTER_SECONDS,
      });
      return changedOrder(kind, reference, row);
    },
    hasCheckout: orders.hasCheckout,
    settleRefund: refunds.settle,
    hasRefundPage: refunds.isWaiting,
    /** Whether a delivery with these headers is authenticated. Checked before its body is read. */
    mayNotify: (headers: Headers): boolean =>
      notificationToken ? constantTimeEqual(headers.get('x-sandbox-token') ?? '', notificationToken) : false,
  };
}
