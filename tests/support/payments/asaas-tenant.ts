// A tenant that is connected to its own account in the fake of Asaas of the stack.
import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import type { WebhookFault } from '../../../local/fakes/deliveries.ts';
import type { Fault } from '../../../local/fakes/faults.ts';
import type { Asaas, PaymentStep, StepDetails } from '../../../local/providers/asaas/index.ts';
import type { OptionsOrder } from '../../../local/providers/asaas/options.ts';
import type { renderPayment } from '../../../local/providers/asaas/payment-orders.ts';
import { waitFor } from '../wait-for.ts';
import { atAsaas } from './accounts-at-fakes.ts';
import { type ConnectedTenant, connectTenant } from './connected-tenant.ts';

export interface AsaasTenant extends ConnectedTenant {
  control: Asaas['control'];
  /** The id and the key of the account in the fake. */
  asaasId: string;
  asaasKey: string;
  /** The header token of Asaas' approval requests for transfers. */
  withdrawalToken: string;
  /** Faults of requests of this account. `path` is below `/v3`. */
  fault(order: Fault): Promise<unknown>;
  webhookFault(order: WebhookFault): Promise<unknown>;
  /** Changes the payment of an invoice in the fake, as the payer or a bank would. */
  payment(
    invoiceId: string,
    step: PaymentStep,
    details?: StepDetails,
  ): Promise<ReturnType<typeof renderPayment>>;
  /** The payments, transfers and documents in the fake, by our reference. */
  there(kind: 'payments' | 'transfers' | 'invoices', reference: string): Promise<Json[]>;
  /** The fake's id for one of our orders. */
  referenceOf(table: 'invoices' | 'payouts' | 'tax_documents', id: string): Promise<string>;
}

// biome-ignore lint/suspicious/noExplicitAny: data of a fake, which tests read member by member
type Json = any;

export const ASAAS_SETTINGS = {
  municipal_service_code: '1.01',
  municipal_service_name: 'Software development',
  taxes: { retainIss: false, iss: 2, pis: 0, cofins: 0, csll: 0, inss: 0, ir: 0 },
};

export interface AsaasTenantOptions {
  /** In reais. */
  balance?: number;
  /** Transfers complete automatically and immediately, unless these settings say otherwise. */
  options?: OptionsOrder;
  /** Asaas asks us to approve each transfer. */
  asksUs?: boolean;
  /** In addition to `ASAAS_SETTINGS`. */
  settings?: Record<string, unknown>;
}

export async function connectAsaasTenant(
  admin: postgres.Sql,
  { balance = 1000, options = {}, asksUs = false, settings = {} }: AsaasTenantOptions = {},
): Promise<AsaasTenant> {
  const control = atAsaas();
  const account = await control.createAccount({
    balance,
    options: {
      criticalAuthorization: 'off',
      duplicateTransferMinutes: 0,
      transferMs: 0,
      validationMs: 0,
      invoiceMs: 0,
      // Without a known tax regime, so that no date makes taxes required.
      simplesNacional: null,
      ...options,
    },
  });
  const withdrawalToken = `wt-${randomUUID()}`;
  const tenant = await connectTenant(admin, 'asaas', async ({ id }) => {
    const [row] = await admin`
      select admin.connect_asaas(${id}, ${account.apiKey}, ${admin.json({ ...ASAAS_SETTINGS, ...settings } as postgres.JSONValue)}, ${withdrawalToken}) as id`;
    return row?.id;
  });
  if (asksUs)
    await control.withdrawalValidation(account.id, {
      url: `${tenant.callbackUrl}/approvals`,
      authToken: withdrawalToken,
    });
  const referenceOf: AsaasTenant['referenceOf'] = async (table, id) => {
    const [row] = await admin`select provider_reference from ${admin(table)} where id = ${id}`;
    return row?.provider_reference;
  };
  return {
    ...tenant,
    control,
    asaasId: account.id,
    asaasKey: account.apiKey,
    withdrawalToken,
    fault: ({ path, ...order }) =>
      control.fault({ ...order, account: account.id, ...(path && { path: `/v3${path}` }) }),
    webhookFault: (order) => control.webhookFault({ ...order, account: account.id }),
    payment: async (id, step, details) =>
      control.payment(account.id, await referenceOf('invoices', id), step, details),
    async there(kind, reference) {
      const held = (await control.account(account.id)) as Json;
      return held[kind].filter((one: Json) => one.externalReference === reference);
    },
    referenceOf,
  };
}

/** How many times the account received this request. */
export const sent = async (
  { control, asaasId }: AsaasTenant,
  method: string,
  path: string,
): Promise<Json[]> => control.requests({ method, path: `/v3${path}`, account: asaasId });

/** Waits until all webhooks of the account have been received and applied. */
export const waitForNotifications = (
  sql: postgres.Sql,
  { control, asaasId, accountId }: AsaasTenant,
): Promise<boolean> =>
  waitFor(async () => {
    const deliveries = await control.deliveries({ account: asaasId });
    if (deliveries.some(({ state }) => state === 'waiting')) return false;
    const left = await sql`
      select from provider_account_events where account_id = ${accountId} and about is not null and applied_at is null`;
    return left.length === 0;
  });

/** The ledger of a tenant, oldest first, abbreviated. */
export const entriesOf = (sql: postgres.Sql, { id }: { id: string }, about?: string) => sql`
  select type, amount::integer, fee::integer, net::integer, reason
  from balance_transactions
  where tenant_id = ${id} and ${about ? sql`coalesce(invoice_id, payout_id) = ${about}` : sql`true`} order by id`;
