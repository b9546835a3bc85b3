/** `/v1/account`. */
import { Hono } from 'hono';
import { answer, read, type StripeApp } from './requests.ts';
import type { StripeServices } from './services.ts';
import type { Account } from './state.ts';

const NO_REQUIREMENTS = {
  alternatives: [],
  current_deadline: null,
  currently_due: [],
  disabled_reason: null,
  errors: [],
  eventually_due: [],
  past_due: [],
  pending_verification: [],
};

const NOWHERE = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null };

const renderAccount = (account: Account) => ({
  id: account.id,
  object: 'account',
  business_profile: {
    annual_revenue: null,
    estimated_worker_count: null,
    mcc: null,
    minority_owned_business_designation: null,
    name: account.name,
    product_description: null,
    specified_commercial_transactions_act_url: null,
    support_address: NOWHERE,
    support_email: account.email,
    support_phone: null,
    support_url: null,
    url: null,
  },
  business_type: 'company',
  capabilities: account.options.capabilities,
  charges_enabled: account.options.chargesEnabled,
  controller: { type: 'account' },
  country: account.country,
  created: account.created,
  default_currency: account.defaultCurrency,
  details_submitted: true,
  email: account.email,
  external_accounts: {
    object: 'list',
    data: [],
    has_more: false,
    url: `/v1/accounts/${account.id}/external_accounts`,
  },
  future_requirements: NO_REQUIREMENTS,
  metadata: {},
  payouts_enabled: account.options.payoutsEnabled,
  requirements: NO_REQUIREMENTS,
  settings: {
    bacs_debit_payments: { display_name: null, service_user_number: null },
    branding: { icon: null, logo: null, primary_color: null, secondary_color: null },
    card_issuing: { tos_acceptance: { date: null, ip: null } },
    card_payments: {
      decline_on: { avs_failure: false, cvc_failure: false },
      statement_descriptor_prefix: null,
      statement_descriptor_prefix_kana: null,
      statement_descriptor_prefix_kanji: null,
    },
    dashboard: { display_name: account.name, timezone: 'Etc/UTC' },
    invoices: { default_account_tax_ids: null, hosted_payment_method_save: null },
    payments: {
      statement_descriptor: account.name.toUpperCase().slice(0, 22),
      statement_descriptor_kana: null,
      statement_descriptor_kanji: null,
      statement_descriptor_prefix_kana: null,
      statement_descriptor_prefix_kanji: null,
    },
    payouts: {
      debit_negative_balances: true,
      schedule: { delay_days: account.options.availableAfterDays.card, interval: account.options.payouts },
      statement_descriptor: null,
    },
    sepa_debit_payments: {},
  },
  tos_acceptance: { date: null, ip: null, user_agent: null },
  type: 'standard',
});

export function accountRoutes(services: StripeServices): StripeApp {
  const app: StripeApp = new Hono();
  app.get('/account', (c) => {
    read(c, {});
    return answer(c, services, renderAccount(c.get('account')));
  });
  return app;
}
