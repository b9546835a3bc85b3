// Queries for invoices, payouts and the ledger.
import type { Artifact } from '../../../shared/payments/providers/reports.ts';
import { pageOf, type View } from '../view.ts';

const like = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

export interface Invoice {
  id: string;
  tenant_id: string;
  our_number: string | null;
  status: string;
  amount: string;
  currency: string;
  fee: string | null;
  method: string;
  customer: { name: string; email: string; country: string; tax_id?: string };
  description: string;
  provider: string;
  provider_reference: string | null;
  public_token: string;
  artifact: Artifact | null;
  return_url: string | null;
  failure_reason: string | null;
  expires_at: Date | null;
  paid_at: Date | null;
  created: Date;
}

const invoiceColumns = ({ sql }: Pick<View, 'sql'>) => sql`
  id, tenant_id, our_number, status, amount, currency, fee, payment_method_type as method, customer, description, provider,
  provider_reference, public_token, artifact, payment_method ->> 'return_url' as return_url, failure_reason, expires_at,
  paid_at, created`;

interface InvoiceFilter {
  text: string;
  status: string;
  method: string;
}

/** Newest first. */
export const readInvoices = (view: View, { text, status, method }: InvoiceFilter) => view.sql<Invoice[]>`
  select ${invoiceColumns(view)} from public.invoices
  where tenant_id = ${view.tenant.id}
    ${status === '' ? view.sql`` : view.sql`and status = ${status}`}
    ${method === '' ? view.sql`` : view.sql`and payment_method_type = ${method}`}
    ${text === '' ? view.sql`` : view.sql`and (our_number ilike ${like(text)} or customer ->> 'name' ilike ${like(text)} or description ilike ${like(text)})`}
  order by id desc
  ${pageOf(view)}`;

export async function readInvoice(view: View, id: string): Promise<Invoice | undefined> {
  const [row] = await view.sql<Invoice[]>`
    select ${invoiceColumns(view)} from public.invoices where tenant_id = ${view.tenant.id} and id = ${id}`;
  return row;
}

/** The invoice of a sandbox charge of any tenant: the payer does not know the tenant. */
export async function readCharge(
  { sql }: Pick<View, 'sql'>,
  reference: string,
): Promise<(Invoice & { tenant_name: string }) | undefined> {
  const [row] = await sql<(Invoice & { tenant_name: string })[]>`
    select ${invoiceColumns({ sql })}, (select name from public.tenants t where t.id = tenant_id) as tenant_name
    from public.invoices where provider = 'sandbox' and provider_reference = ${reference}`;
  return row;
}

export interface Payout {
  id: string;
  our_number: string | null;
  status: string;
  amount: string;
  currency: string;
  beneficiary_name: string;
  purpose: string;
  provider: string;
  failure_reason: string | null;
  created: Date;
  waits_for_approval: boolean;
}

/** Newest first. */
export const readPayouts = (view: View, filter: { status: string }) =>
  selectPayouts(view, { ...filter, id: '' });

export async function readPayout(view: View, id: string): Promise<Payout | undefined> {
  const [row] = await selectPayouts(view, { status: '', id });
  return row;
}

const selectPayouts = (view: View, { status, id }: { status: string; id: string }) => view.sql<Payout[]>`
  select p.id, p.our_number, p.status, p.amount, p.currency, p.beneficiary_name, p.purpose, p.provider, p.failure_reason,
         p.created, exists (select from admin.payouts_to_approve a where a.payout_id = p.id) as waits_for_approval
  from admin.payouts p
  where p.tenant_id = ${view.tenant.id}
    ${status === '' ? view.sql`` : view.sql`and p.status = ${status}`}
    ${id === '' ? view.sql`` : view.sql`and p.id = ${id}`}
  order by p.id desc
  ${pageOf(view)}`;

export interface Entry {
  id: string;
  type: string;
  amount: string;
  fee: string;
  net: string;
  currency: string;
  /** Balance in this currency after this entry. */
  balance: string;
  invoice_id: string | null;
  our_number: string | null;
  reason: string | null;
  created: Date;
}

/** Newest first. */
export const readLedger = (view: View, { sourceId }: { sourceId?: string } = {}) => view.sql<Entry[]>`
  select * from (
    select id, type, amount, fee, net, currency, invoice_id, our_number, reason, created, payout_id,
           sum(net) over (partition by currency order by created, id) as balance
    from admin.ledger where tenant_id = ${view.tenant.id}
  ) as entries
  ${sourceId === undefined ? view.sql`` : view.sql`where invoice_id = ${sourceId} or payout_id = ${sourceId}`}
  order by created desc, id desc
  ${pageOf(view)}`;

export const readBalances = ({ sql, tenant }: View) => sql<
  { currency: string; net: string; entries: string }[]
>`
  select currency, net, entries from admin.balances where tenant_id = ${tenant.id} order by currency`;

export interface Sums {
  currency: string;
  open: string;
  open_count: number;
  paid: string;
  paid_count: number;
}

export const readSums = ({ sql, tenant }: View) => sql<Sums[]>`
  select currency,
         coalesce(sum(amount) filter (where status = 'open'), 0) as open,
         (count(*) filter (where status = 'open'))::integer as open_count,
         coalesce(sum(amount) filter (where status = 'paid'), 0) as paid,
         (count(*) filter (where status = 'paid'))::integer as paid_count
  from public.invoices where tenant_id = ${tenant.id}
  group by currency order by currency`;

export interface TaxDocument {
  id: string;
  status: string;
  document_number: string | null;
  failure_reason: string | null;
  public_token: string;
  created: Date;
}

export const readTaxDocuments = ({ sql, tenant }: View, invoiceId: string) => sql<TaxDocument[]>`
  select id, status, document_number, failure_reason, public_token, created
  from public.tax_documents where tenant_id = ${tenant.id} and invoice_id = ${invoiceId} order by created desc`;

export interface InvoiceEvent {
  id: string;
  type: string;
  created_at: Date;
  deliveries: number;
}

/** Events of an invoice with the number of deliveries. */
export const readInvoiceEvents = ({ sql, tenant }: View, id: string) => sql<InvoiceEvent[]>`
  select e.id, e.type, e.created_at, count(d.id)::integer as deliveries
  from public.events e
  left join public.webhook_deliveries d on d.tenant_id = e.tenant_id and d.event_id = e.id
  where e.tenant_id = ${tenant.id} and e.interface = 'payments' and app.event_data(e) ->> 'id' = ${id}
  group by e.tenant_id, e.id
  order by e.created_at`;
