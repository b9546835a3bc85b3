// SQL of the table `invoices`.
import type { Sql, Statement } from '../../platform/db/database.ts';
import type { AcceptedCharge } from '../providers/provider.ts';
import type { InvoiceInput } from './schema.ts';

/** A row as `app.invoice_snapshot` gives it. */
export interface InvoiceRow {
  id: string;
  tenant_id: string;
  status: 'creating' | 'open' | 'paid' | 'canceled' | 'failed';
  customer: { country: string; tax_id?: string; name: string; email: string };
  amount: number;
  currency: string;
  region: string;
  description: string;
  payment_method_type: 'pix' | 'boleto' | 'bolepix' | 'card';
  payment_method: { return_url?: string };
  artifact: AcceptedCharge['artifact'] | null;
  tax_document_request: { auto_issue: boolean; service_code: string } | null;
  tax_document: { id: string; type: string; status: string } | null;
  cost_center: string | null;
  contractor_reference: string | null;
  metadata: Record<string, string> | null;
  our_number: string | null;
  provider: string;
  expires_at: string;
  public_token: string;
  created: string;
}

/** Makes the row of a claimed key, unless the cost center is unknown. Answers nothing. */
export function beginInvoice(
  sql: Sql,
  tenantId: string,
  key: string,
  attemptId: string,
  input: InvoiceInput,
  provider: string,
  expiresInSeconds: number,
): Statement {
  const { customer, payment_method: method, tax_document: tax } = input;
  const taxRequest = tax && { auto_issue: tax.auto_issue ?? false, service_code: tax.service_code };
  const costCenter = input.cost_center ?? null;
  return sql`
    with made as (
      insert into public.invoices
        (tenant_id, customer, amount, currency, region, description, payment_method_type, payment_method,
         tax_document_request, cost_center, contractor_reference, metadata, provider, expires_at)
      select ${tenantId}, ${JSON.stringify(customer)}::jsonb, ${input.amount}, ${input.currency}, ${input.region},
             ${input.description}, ${method.type}, ${JSON.stringify(method)}::jsonb,
             ${taxRequest ? JSON.stringify(taxRequest) : null}::jsonb, c.code, ${input.contractor_reference ?? null},
             ${input.metadata ? JSON.stringify(input.metadata) : null}::jsonb, ${provider},
             now() + make_interval(secs => ${expiresInSeconds})
      from public.idempotency_keys k
      left join public.cost_centers c
        on c.tenant_id = ${tenantId} and case when ${costCenter}::text is null then c.is_default else c.code = ${costCenter} end
      where k.tenant_id = ${tenantId} and k.key = ${key} and k.claimed_by = ${attemptId}
        and k.resource_id is null and k.response_status is null
        and (${costCenter}::text is null or c.code is not null)
      returning id
    )
    select app.set_key_resource(${key}, id) from made`;
}

/** What the request of a key is making, with what its provider needs. */
export function selectByKey(sql: Sql, tenantId: string, key: string): Statement {
  return sql`
    select app.invoice_snapshot(i) as snapshot
    from public.idempotency_keys k
    join public.invoices i on i.tenant_id = k.tenant_id and i.id = k.resource_id
    where k.tenant_id = ${tenantId} and k.key = ${key}`;
}

/** The provider took the charge: the invoice opens and takes its number. */
export function openInvoice(sql: Sql, tenantId: string, id: string, charge: AcceptedCharge): Statement {
  return sql`
    update public.invoices
    set status = 'open', our_number = app.our_number(tenant_id, 'INV'), artifact = ${JSON.stringify(charge.artifact)}::jsonb,
        provider_reference = ${charge.providerReference}, state_at = ${charge.state.at.toISOString()}
    where tenant_id = ${tenantId} and id = ${id} and status = 'creating'`;
}

/** The pending tax document of an invoice that asked for one. */
export function attachTaxDocument(sql: Sql, tenantId: string, id: string): Statement {
  return sql`
    insert into public.tax_documents (tenant_id, invoice_id, type, service_code, provider)
    select tenant_id, id, 'nfse', tax_document_request ->> 'service_code', provider
    from public.invoices i
    where tenant_id = ${tenantId} and id = ${id} and (tax_document_request ->> 'auto_issue')::boolean
      and not exists (select from public.tax_documents d where d.tenant_id = i.tenant_id and d.invoice_id = i.id)`;
}

export function invoiceSnapshot(sql: Sql, tenantId: string, id: string): Statement {
  return sql`
    select app.invoice_snapshot(i) as snapshot
    from public.invoices i
    where tenant_id = ${tenantId} and id = ${id} and status <> 'creating'`;
}

/** An invoice and its live tax document, with whether that document may still be canceled. */
export function selectForCancel(sql: Sql, tenantId: string, id: string): Statement {
  return sql`
    select app.invoice_snapshot(i) as snapshot, d.id as tax_document_id, d.status as tax_document_status,
           coalesce(app.cancellation_window_open(i.tenant_id, d.issued_at), true) as window_open
    from public.invoices i
    left join public.tax_documents d
      on d.tenant_id = i.tenant_id and d.invoice_id = i.id and d.status in ('pending', 'issued')
    where i.tenant_id = ${tenantId} and i.id = ${id} and i.status <> 'creating'`;
}

export function cancelInvoice(sql: Sql, tenantId: string, id: string, reason: string | undefined): Statement {
  return sql`
    update public.invoices set status = 'canceled', cancel_reason = ${reason ?? null}, state_at = now()
    where tenant_id = ${tenantId} and id = ${id} and status = 'open'
    returning id`;
}

/** An open invoice whose artifact is over fails. */
export function expireInvoice(sql: Sql, tenantId: string, id: string): Statement {
  return sql`
    update public.invoices set status = 'failed', state_at = expires_at
    where tenant_id = ${tenantId} and id = ${id} and status = 'open' and expires_at <= now()
    returning id`;
}
