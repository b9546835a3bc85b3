// The resources that are orders, by the kind of order.
import { invoiceOrders } from '../invoices/order.ts';
import type { AnyOrderResource } from '../orders/look-up.ts';
import { payoutOrders } from '../payouts/order.ts';

export const orderResources: Readonly<Record<'charge' | 'payout', AnyOrderResource>> = {
  charge: invoiceOrders,
  payout: payoutOrders,
};
