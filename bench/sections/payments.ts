// Invoices: compared to the bare handler, and with few and many stored.
import { alternate, ratioOf, type Summary } from '../compare.ts';
import { importLine, startDeno } from '../deno.ts';
import type { LoadProcess } from '../load/client.ts';
import type { Load, Target } from '../load/load.ts';
import type { Pace } from '../pace.ts';
import { printRates, type Ratio } from '../report.ts';
import { type Stage, startStage } from '../stage.ts';

const FEW = 10_000;
const CHUNK = 100_000;
export const INVOICE = JSON.stringify({
  customer: { country: 'BR', tax_id: '52998224725', name: 'Maria Silva', email: 'maria@example.com' },
  amount: 10_000,
  currency: 'BRL',
  description: 'Consulting',
  payment_method: { type: 'pix' },
});

export async function measurePayments(full: Stage, load: LoadProcess, pace: Pace): Promise<Ratio[]> {
  const small = await startStage();
  try {
    await fillInvoices(small, FEW);
    await fillInvoices(full, pace.storedInvoices);
    const bare = await startDeno({
      name: 'bare-payments',
      entry: `${importLine('bench/bare/app.ts', 'app')}Deno.serve(app.fetch);\n`,
      health: '/bare/health',
      env: small.stack.env,
      dir: small.dir,
    });
    const id = await anyInvoice(small);
    const loads: Record<string, Load> = {
      'get, bare handler': loadOf(
        { ...targetOf(small, ''), url: `http://127.0.0.1:${bare.port}`, path: `/bare/invoices/${id}` },
        pace,
      ),
      get: loadOf(targetOf(small, `/payments/invoices/${id}`), pace),
      'get, many': loadOf(targetOf(full, `/payments/invoices/${await anyInvoice(full)}`), pace),
      'list of 20': loadOf(targetOf(small, '/payments/invoices?status=open'), pace),
      'list of 20, many': loadOf(targetOf(full, '/payments/invoices?status=open'), pace),
      create: loadOf({ ...targetOf(small, '/payments/invoices'), body: INVOICE }, pace),
      'create, many': loadOf({ ...targetOf(full, '/payments/invoices'), body: INVOICE }, pace),
    };
    const rates = await alternate(load, loads, pace.rounds);
    await bare.stop();
    printRates(`Invoices, with ${FEW} and with ${pace.storedInvoices} stored`, 1, rates);
    const ratio = (name: string, one: string, other: string, atLeast: number): Ratio => ({
      name,
      value: ratioOf(rates[one] as Summary, rates[other] as Summary),
      atLeast,
    });
    const few = `${pace.storedInvoices} / ${FEW} invoices`;
    return [
      ratio('get an invoice: Placar / bare handler', 'get', 'get, bare handler', 0.8),
      ratio(`get an invoice: ${few}`, 'get, many', 'get', 0.9),
      ratio(`list invoices: ${few}`, 'list of 20, many', 'list of 20', 0.9),
      ratio(`create an invoice: ${few}`, 'create, many', 'create', 0.9),
    ];
  } finally {
    await small.stop();
  }
}

export function targetOf({ stack, apiKey }: Stage, path: string): Extract<Target, { kind: 'signed' }> {
  return { kind: 'signed', url: `http://127.0.0.1:${stack.functions.get('payments')?.port}`, path, apiKey };
}

function loadOf(target: Target, { seconds }: Pace): Load {
  return { target, activities: 1, codes: ['001'], concurrency: 8, until: { seconds } };
}

export async function anyInvoice({ sql, tenantId }: Stage): Promise<string> {
  const [row] =
    await sql`select id from public.invoices where tenant_id = ${tenantId} and status = 'open' order by id limit 1`;
  return String(row?.id);
}

/** Adds invoices as if they had been created over time. Triggers are disabled for speed. */
export async function fillInvoices({ sql, tenantId }: Stage, rows: number): Promise<void> {
  for (let first = 0; first < rows; first += CHUNK) {
    await sql`
      insert into public.invoices
        (tenant_id, status, customer, amount, currency, region, description, payment_method_type, payment_method, artifact,
         our_number, provider, expires_at, created)
      select ${tenantId}, (array['open', 'paid', 'canceled', 'failed'])[1 + i % 4],
             '{"country": "BR", "name": "Maria Silva", "email": "maria@example.com"}', 10000, 'BRL', 'br', 'Consulting', 'pix',
             '{"type": "pix"}', '{"pix": {"payload": "x"}}', 'INV-2020-' || i, 'sandbox', now() + interval '1 year',
             now() - make_interval(secs => i)
      from generate_series(${first}::integer, ${Math.min(rows, first + CHUNK) - 1}::integer) as i`;
  }
  await sql`vacuum analyze public.invoices`;
}
