// Queries for invoices, payouts and the ledger.
import type { Artifact } from '../../../shared/payments/providers/charge-port.ts';
import { pageOf, type View } from '../view.ts';

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
