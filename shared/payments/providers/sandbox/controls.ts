// What only the sandbox can do: play the payer and the bank, and let time pass.
import { equalInConstantTime } from '../../../platform/access/constant-time.ts';
import type { OrderKind } from '../provider.ts';
import type { SandboxOrders } from './orders.ts';
import type { Change, OrderRow } from './queries.ts';
import { hasRule, statesBefore, statesBeforeSettling } from './rules.ts';

/** What becomes of an order by hand. */
export interface SandboxReport extends Omit<Change, 'from' | 'lookAfterSeconds'> {
  kind: 'charge' | 'payout';
  reference: string;
}

/** An order that changed, and how often the sandbox says so. */
export interface ChangedOrder {
  kind: 'charge' | 'payout';
  reference: string;
  times: number;
  /** The job that looks at the order unless somebody else does. */
  lookId: string | null;
}

export interface SandboxControls {
  /** The payer pays. Gives whether this call did it, and what is told of a paid charge: undefined when it is not paid. */
  pay(reference: string): Promise<{ paidNow: boolean; told: ChangedOrder | undefined }>;
  /** An order moves on by itself, or only tells where it is (`to` undefined). Undefined when it no longer can. */
  settle(
    kind: 'charge' | 'payout',
    reference: string,
    to: string | undefined,
  ): Promise<ChangedOrder | undefined>;
  /** Somebody says by hand what becomes of an order. One that does not fit its state changes nothing. */
  report(report: SandboxReport): Promise<ChangedOrder>;
  /** Whether there is a card charge by this id of the sandbox's own. */
  hasCheckout(providerId: string): Promise<boolean>;
  /** Whether a delivery with these headers can be the sandbox's: asked before its body is read. */
  mayNotify(headers: Headers): boolean;
}

/** The caller looks at the order at once; should its process die before, a job does. */
const LOOK_AFTER_SECONDS = 5;

/** `notificationToken` is what deliveries to our callback must carry; without it none is accepted. */
export function createSandboxControls(
  orders: SandboxOrders,
  notificationToken: string | undefined,
): SandboxControls {
  const tell = (
    kind: ChangedOrder['kind'],
    reference: string,
    row: (OrderRow & { lookId?: string | null }) | undefined,
  ): ChangedOrder => ({
    kind,
    reference,
    lookId: row?.lookId ?? null,
    times: row && (hasRule(row.amount, 'notifyTwice') || hasRule(row.amount, 'notifyLate')) ? 2 : 1,
  });
  const changeOr = async (kind: OrderKind, reference: string, change: Change) => {
    const changed = await orders.change(kind, reference, change);
    return { changed: changed !== undefined, row: changed ?? (await orders.find(kind, reference)) };
  };
  return {
    async pay(reference) {
      const { changed, row } = await changeOr('charge', reference, {
        from: ['open'],
        to: 'paid',
        lookAfterSeconds: LOOK_AFTER_SECONDS,
      });
      return { paidNow: changed, told: row?.status === 'paid' ? tell('charge', reference, row) : undefined };
    },
    async settle(kind, reference, to) {
      if (to === undefined) return tell(kind, reference, undefined);
      const reason = to === 'failed' ? 'Refused by the sandbox.' : undefined;
      const { row } = await changeOr(kind, reference, { from: statesBeforeSettling[to] ?? [], to, reason });
      return row?.status === to ? tell(kind, reference, row) : undefined;
    },
    async report({ kind, reference, ...change }) {
      const from = statesBefore[kind][change.to] ?? [];
      const { row } = await changeOr(kind, reference, {
        ...change,
        from,
        lookAfterSeconds: LOOK_AFTER_SECONDS,
      });
      return tell(kind, reference, row);
    },
    hasCheckout: (providerId) => orders.hasCheckout(providerId),
    mayNotify: (headers) =>
      notificationToken
        ? equalInConstantTime(headers.get('x-sandbox-token') ?? '', notificationToken)
        : false,
  };
}
