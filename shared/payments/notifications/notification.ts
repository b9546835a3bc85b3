import type { ProviderState } from '../providers/provider.ts';

/** What the sandbox tells of an order, verified: it carries the state itself, where other providers say only where to look. */
export interface Notification {
  /** The provider's own id of the event: the same event may come more than once. */
  eventId: string;
  resource: 'invoice' | 'payout';
  /** Our id. */
  reference: string;
  state: ProviderState;
}
