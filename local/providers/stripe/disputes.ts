/** `/v1/disputes` and their life cycle. */
import { Hono } from 'hono';
import { z } from 'zod';
import { daysAfter } from './calendar.ts';
import { refused } from './errors.ts';
import { Bool, Metadata, mergeMetadata, notEmulated, Text } from './params.ts';
import { methodOf } from './payments.ts';
import {
  answer,
  CREATED,
  named,
  PAGING,
  page,
  read,
  type StripeApp,
  type StripeContext,
  within,
} from './requests.ts';
import { newId, type StripeServices } from './services.ts';
import type { Account, Charge, Dispute } from './state.ts';

export interface DisputeOrder {
  reason: string;
  /** An inquiry of the bank: no money is deducted yet. */
  inquiry: boolean;
  amount?: number | undefined;
}

const EVIDENCE =
  'access_activity_log billing_address cancellation_policy cancellation_policy_disclosure cancellation_rebuttal customer_communication customer_email_address customer_name customer_purchase_ip customer_signature duplicate_charge_documentation duplicate_charge_explanation duplicate_charge_id product_description receipt refund_policy refund_policy_disclosure refund_refusal_explanation service_date service_documentation shipping_address shipping_carrier shipping_date shipping_documentation shipping_tracking_number uncategorized_file uncategorized_text'.split(
    ' ',
  );

export function openDispute(
  services: StripeServices,
  account: Account,
  charge: Charge,
  order: DisputeOrder,
): Dispute {
  if (charge.status !== 'succeeded') throw refused(`Charge ${charge.id} is ${charge.status}.`);
  if (account.disputes.some((known) => known.charge === charge.id)) {
    throw refused(`Charge ${charge.id} is disputed already.`, { code: 'charge_disputed' });
  }
  const method = methodOf(account, charge);
  // For debits, the bank's decision is final.
  const final = method !== 'card';
  const dueBy = daysAfter(services.now(), account.options.disputeDays + 1) - 1;
  const details = {
    brand: 'visa',
    case_type: order.inquiry ? 'inquiry' : 'chargeback',
    network_reason_code: '10.4',
  };
  const dispute: Dispute = {
    id: newId('dp'),
    object: 'dispute',
    amount: order.amount ?? charge.amount,
    balance_transactions: [],
    charge: charge.id,
    created: services.now(),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: { ...Object.fromEntries(EVIDENCE.map((name) => [name, null])), enhanced_evidence: {} },
    evidence_details: {
      due_by: final ? null : dueBy,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: order.inquiry,
    livemode: account.livemode,
    metadata: {},
    payment_intent: charge.payment_intent,
    ...(method === 'card'
      ? { payment_method_details: { card: { ...details, network: 'visa' }, type: 'card' } }
      : {}),
    reason: order.reason,
    status: order.inquiry ? 'warning_needs_response' : 'needs_response',
  };
  account.disputes.push(dispute);
  charge.disputed = true;
  if (!order.inquiry) takeFunds(services, account, dispute);
  services.emit(account, 'charge.dispute.created', dispute);
  if (!order.inquiry) services.emit(account, 'charge.dispute.funds_withdrawn', dispute);
  if (final) closeDispute(services, account, dispute, 'lost');
  else services.schedule('disputes:due', dueBy * 1000, account, { dispute: dispute.id });
  return dispute;
}

function takeFunds(services: StripeServices, account: Account, dispute: Dispute): void {
  const { id } = services.enter(account, {
    type: 'adjustment',
    reportingCategory: 'dispute',
    amount: -dispute.amount,
    fee: account.options.disputeFee,
    feeDescription: 'Dispute fee',
    currency: dispute.currency,
    source: dispute.id,
    description: `Chargeback withdrawal for ${dispute.charge}`,
  });
  dispute.balance_transactions.push(id);
}

const OVER = ['won', 'lost', 'warning_closed'];

/** A lost inquiry becomes a lost dispute. */
export function closeDispute(
  services: StripeServices,
  account: Account,
  dispute: Dispute,
  outcome: 'won' | 'lost',
): void {
  if (OVER.includes(dispute.status))
    throw refused('This dispute is already closed', { code: 'dispute_closed' });
  const inquiry = dispute.status === 'warning_needs_response';
  if (inquiry && outcome === 'won') {
    dispute.status = 'warning_closed';
  } else {
    if (inquiry) {
      takeFunds(services, account, dispute);
      dispute.is_charge_refundable = false;
      services.emit(account, 'charge.dispute.funds_withdrawn', dispute);
    }
    dispute.status = outcome;
  }
  if (dispute.status === 'won') {
    const { id } = services.enter(account, {
      type: 'adjustment',
      reportingCategory: 'dispute_reversal',
      amount: dispute.amount,
      fee: account.options.disputeFeeReturned ? -account.options.disputeFee : 0,
      feeDescription: 'Dispute fee refund',
      currency: dispute.currency,
      source: dispute.id,
      description: `Chargeback reversal for ${dispute.charge}`,
    });
    dispute.balance_transactions.push(id);
    services.emit(account, 'charge.dispute.funds_reinstated', dispute);
  }
  services.emit(account, 'charge.dispute.closed', dispute);
}

/** Runs when the deadline for evidence passes. */
export function loseWhenDue(services: StripeServices, account: Account, dispute: Dispute): void {
  if (dispute.status === 'needs_response') {
    dispute.evidence_details.past_due = true;
    closeDispute(services, account, dispute, 'lost');
  } else if (dispute.status === 'warning_needs_response') closeDispute(services, account, dispute, 'won');
}

/** Evidence texts that decide a dispute in the sandbox. */
const DECISIVE: Record<string, 'won' | 'lost'> = { winning_evidence: 'won', losing_evidence: 'lost' };

export function disputeRoutes(services: StripeServices): StripeApp {
  const app: StripeApp = new Hono();
  const dispute = (c: StripeContext) => named(c, c.get('account').disputes, 'dispute', 'dispute');

  app.get('/', (c) => {
    const shape = { ...PAGING, ...CREATED, charge: Text.optional(), payment_intent: Text.optional() };
    const { created, charge, payment_intent: intent, ...paging } = read(c, shape);
    const found = c
      .get('account')
      .disputes.filter(
        (one) =>
          within(created, one.created) &&
          (charge === undefined || one.charge === charge) &&
          (intent === undefined || one.payment_intent === intent),
      );
    return page(c, services, found, paging, 'dispute');
  });

  app.get('/:id', (c) => {
    read(c, {});
    return answer(c, services, dispute(c));
  });

  app.post('/:id', (c) => {
    const account = c.get('account');
    const known = dispute(c);
    const texts = Object.fromEntries(EVIDENCE.map((name) => [name, z.string().optional()]));
    const {
      evidence,
      metadata,
      submit = true,
    } = read(c, {
      evidence: z.strictObject(texts).optional(),
      metadata: Metadata.optional(),
      submit: Bool.optional(),
      ...notEmulated('intended_submission_method'),
    });
    known.metadata = mergeMetadata(known.metadata, metadata);
    if (evidence !== undefined) {
      if (OVER.includes(known.status))
        throw refused('This dispute is already closed', { code: 'dispute_closed' });
      Object.assign(known.evidence, evidence);
      known.evidence_details.has_evidence = true;
      if (submit) {
        known.evidence_details.submission_count = Number(known.evidence_details.submission_count) + 1;
        known.evidence_details.submission_method = 'manual';
        if (known.status === 'needs_response') known.status = 'under_review';
      }
      services.emit(account, 'charge.dispute.updated', known, {});
      const decision = DECISIVE[evidence.uncategorized_text ?? ''];
      if (submit && decision !== undefined && !account.livemode)
        closeDispute(services, account, known, decision);
    }
    return answer(c, services, known);
  });

  app.post('/:id/close', (c) => {
    const known = dispute(c);
    read(c, {});
    closeDispute(services, c.get('account'), known, 'lost');
    return answer(c, services, known);
  });
  return app;
}
