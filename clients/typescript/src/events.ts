// The events that webhooks bring, by type.
import type { Invoice, Payout, TaxDocument } from './payments.ts';
import type { Deal, Lead, User } from './records/types.ts';

interface Data {
  'invoice.paid': Invoice;
  'invoice.canceled': Invoice;
  'invoice.failed': Invoice;
  'invoice.refunded': Invoice;
  'invoice.disputed': Invoice;
  'tax_document.issued': TaxDocument;
  'tax_document.failed': TaxDocument;
  'tax_document.canceled': TaxDocument;
  'payout.paid': Payout;
  'payout.failed': Payout;
  'payout.canceled': Payout;
  'lead.created': Lead;
  'lead.updated': Lead;
  'lead.status_changed': Lead;
  'lead.converted': Lead;
  'lead.deleted': Lead;
  'deal.created': Deal;
  'deal.updated': Deal;
  'deal.stage_changed': Deal & { previous_stage: Deal['stage'] };
  'deal.won': Deal & { previous_stage: Deal['stage'] };
  'deal.lost': Deal;
  'deal.deleted': Deal;
  'user.created': User;
  'user.activated': User;
  'user.updated': User;
  'user.deactivated': User;
  'badge.earned': {
    user_id: string | null;
    email: string;
    badge: { id: string; name: string; metric: string; threshold: number };
    earned_at: string;
  };
  'challenge.completed': {
    user_id: string | null;
    email: string;
    challenge: {
      id: string;
      name: string;
      metric: string;
      target: number;
      starts_at: string;
      ends_at: string;
      reward_points: number;
    };
    completed_at: string;
  };
  'ranking.changed': { changes: { user_id: string; from: number | null; to: number | null }[] };
  'webhook.test': { webhook_id: string };
}

export type EventType = keyof Data;

/** The event of a type. */
export interface EventOf<Type extends EventType> {
  /** The same whenever the event comes again. */
  id: string;
  type: Type;
  created_at: string;
  data: Data[Type];
  /** What the request that caused it said in `X-Origin`. */
  origin?: string;
}

/** Any event, in the names of variant A; `event.type` tells its data. Types may be added: leave others out. */
export type WebhookEvent = { [Type in EventType]: EventOf<Type> }[EventType];
