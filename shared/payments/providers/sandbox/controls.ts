// What only the sandbox can do: play the payer, and let time pass.
import { equalInConstantTime } from '../../../platform/access/constant-time.ts';
import type { Notification } from '../../notifications/notification.ts';
import { notificationsOf } from './notifications.ts';
import type { SandboxOrders } from './orders.ts';
import { statesBeforeSettling } from './rules.ts';

export interface SandboxControls {
  /** The payer pays. Gives whether this call did it, and the notifications of a paid charge: none when there is none. */
  pay(reference: string): Promise<{ paidNow: boolean; notifications: Notification[] }>;
  /** An order moves on. Gives the notifications that follow: none when it no longer can. */
  settle(kind: 'charge' | 'payout', reference: string, to: string): Promise<Notification[]>;
  /** Whether there is a card charge by this id of the sandbox's own. */
  hasCheckout(providerId: string): Promise<boolean>;
  /** Whether a delivery with these headers can be the sandbox's: asked before its body is read. */
  mayNotify(headers: Headers): boolean;
  /** What a delivery says. Throws for what is no notification. */
  readNotification(body: Uint8Array): Promise<Notification>;
}

/** The caller hears of a payment at once; should it die before it could tell us, the sandbox tells us itself. */
const TELL_AFTER_SECONDS = 5;

/** `notificationToken` is what deliveries to our callback must carry; without it none is taken. */
export const createSandboxControls = (
  orders: SandboxOrders,
  notificationToken: string | undefined,
): SandboxControls => ({
  async pay(reference) {
    const changed = await orders.change('charge', reference, ['open'], 'paid', TELL_AFTER_SECONDS);
    const row = changed ?? (await orders.find('charge', reference));
    const notifications = row?.status === 'paid' ? notificationsOf('invoice', reference, row) : [];
    return { paidNow: changed !== undefined, notifications };
  },
  async settle(kind, reference, to) {
    const changed = await orders.change(kind, reference, statesBeforeSettling[to] ?? [], to);
    const row = changed ?? (await orders.find(kind, reference));
    if (row?.status !== to) return [];
    return notificationsOf(kind === 'charge' ? 'invoice' : 'payout', reference, row);
  },
  hasCheckout: (providerId) => orders.hasCheckout(providerId),
  mayNotify: (headers) =>
    notificationToken ? equalInConstantTime(headers.get('x-sandbox-token') ?? '', notificationToken) : false,
  async readNotification(body) {
    const { parseNotification } = await import('./parse-notification.ts');
    return parseNotification(body);
  },
});
