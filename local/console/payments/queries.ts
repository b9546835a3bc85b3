// Invoices for the page of their payer.
import type { Artifact } from '../../../shared/payments/providers/charge-port.ts';
import type { View } from '../view.ts';

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

/** The payer's page of an open sandbox invoice. */
export async function payerPageOf(
  sql: View['sql'],
  tenantId: string,
  id: string,
): Promise<string | undefined> {
  const [row] = await sql<{ reference: string }[]>`
    select provider_reference as reference from public.invoices
    where tenant_id = ${tenantId} and id = ${id} and provider = 'sandbox' and status = 'open' and provider_reference is not null`;
  return row && `/pay/${row.reference}`;
}
