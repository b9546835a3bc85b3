// `placar invoices`: creates, pays (in the sandbox), cancels, refunds, shows and lists invoices.
import type { Command } from 'commander';
import type { Invoice, NewInvoice } from '../../payments.ts';
import { amountOf, countOf, pairOf } from '../arguments.ts';
import { type Context, placarOf } from '../context.ts';
import type { Run } from '../main.ts';
import { printable } from '../output.ts';
import {
  definedOnly,
  KEY_HELP,
  type KeyOption,
  membersOf,
  money,
  readJsonInput,
  statusText,
  writeOptions,
} from '../payments.ts';
import { refundCommands } from './refunds.ts';

interface NewOptions extends KeyOption {
  file?: string;
  amount?: number;
  currency?: string;
  description?: string;
  method?: string;
  expiresIn?: number;
  customerName?: string;
  customerEmail?: string;
  customerTaxId?: string;
  customerCountry?: string;
  reference?: string;
  metadata?: Record<string, string>;
}

interface ListOptions {
  status?: string;
  reference?: string;
  limit: number;
}

export function invoicesCommand(parent: Command, run: Run): void {
  const invoices = parent.command('invoices').description('Invoices of the payments API');
  invoices
    .command('create')
    .description(
      'Create an invoice from JSON (--file or stdin), from flags, or both; flags override the JSON',
    )
    .option('--file <path>', 'request body of POST /payments/invoices as JSON; - for stdin')
    .option('--amount <minor>', 'in minor units: 12345 is 123.45', amountOf('--amount'))
    .option('--currency <code>', 'such as BRL')
    .option('--description <text>')
    .option('--method <type>', 'pix, boleto, bolepix, card ...')
    .option('--expires-in <seconds>', 'time until the invoice expires', countOf('--expires-in'))
    .option('--customer-name <name>')
    .option('--customer-email <email>')
    .option('--customer-tax-id <id>')
    .option('--customer-country <code>', 'such as BR')
    .option('--reference <text>', 'contractor_reference: your own number for the invoice')
    .option('--metadata <name=value>', 'metadata entry; repeatable', pairOf('--metadata'))
    .option('--idempotency-key <key>', KEY_HELP)
    .action((options: NewOptions) => run((context) => create(context, options)));
  invoices
    .command('pay <id>')
    .description('Pay an invoice as the sandbox payer; only on local and staging deployments')
    .option('--idempotency-key <key>', KEY_HELP)
    .action((id: string, options: KeyOption) =>
      run(async (context) => {
        await show(context, await clientOf(context).payInSandbox(id, writeOptions(context, options)));
        return undefined;
      }),
    );
  invoices
    .command('cancel <id>')
    .description('Cancel an unpaid invoice')
    .option('--reason <text>')
    .option('--idempotency-key <key>', KEY_HELP)
    .action((id: string, options: KeyOption & { reason?: string }) =>
      run(async (context) => {
        const cancellation = options.reason === undefined ? {} : { reason: options.reason };
        await show(context, await clientOf(context).cancel(id, cancellation, writeOptions(context, options)));
        return undefined;
      }),
    );
  refundCommands(invoices, run);
  invoices
    .command('get <id>')
    .description('Show an invoice')
    .action((id: string) =>
      run(async (context) => {
        await show(context, await clientOf(context).get(id, { signal: context.signal }));
        return undefined;
      }),
    );
  invoices
    .command('list')
    .description('List invoices, newest first')
    .option('--status <status>', 'open, paid, canceled or failed')
    .option('--reference <text>', 'only invoices with this contractor_reference')
    .option('--limit <count>', 'maximum number of invoices', countOf('--limit'), 20)
    .action((options: ListOptions) => run((context) => list(context, options)));
}

const clientOf = (context: Context) => placarOf(context, ['apiKey'], 'placar invoices').invoices;

async function create(context: Context, options: NewOptions): Promise<undefined> {
  const invoice = merged(
    await readJsonInput(options.file, {
      hasOtherInput: hasFlags(options),
      operation: 'POST /payments/invoices',
    }),
    options,
  );
  const created = await clientOf(context).create(invoice, writeOptions(context, options));
  await show(context, created);
}

const hasFlags = ({ file: _file, idempotencyKey: _key, ...members }: NewOptions) =>
  Object.keys(members).length > 0;

function merged(base: Record<string, unknown>, options: NewOptions): NewInvoice {
  const customer = definedOnly({
    name: options.customerName,
    email: options.customerEmail,
    tax_id: options.customerTaxId,
    country: options.customerCountry,
  });
  const method = definedOnly({ type: options.method, expires_in_seconds: options.expiresIn });
  const flags = definedOnly({
    amount: options.amount,
    currency: options.currency,
    description: options.description,
    contractor_reference: options.reference,
  });
  const invoice = {
    ...base,
    ...flags,
    ...(Object.keys(customer).length > 0 && { customer: { ...membersOf(base.customer), ...customer } }),
    ...(Object.keys(method).length > 0 && {
      payment_method: { ...membersOf(base.payment_method), ...method },
    }),
    ...(options.metadata && { metadata: { ...membersOf(base.metadata), ...options.metadata } }),
  };
  // The API validates the fields.
  return invoice as unknown as NewInvoice;
}

async function list(context: Context, { status, reference, limit }: ListOptions): Promise<undefined> {
  const { out, signal } = context;
  const query = { limit: Math.min(limit, 100), ...definedOnly({ status, contractor_reference: reference }) };
  const invoices = await clientOf(context).list(query, { signal }).toArray(limit);
  for (const invoice of invoices) out.json(invoice);
  await out.table(
    ['id', 'number', 'status', 'amount', 'customer', 'created'],
    invoices.map((invoice) => [
      invoice.id,
      invoice.our_number,
      statusText(context, invoice.status),
      money(invoice),
      printable(invoice.customer.name),
      invoice.created,
    ]),
  );
}

async function show(context: Context, invoice: Invoice): Promise<void> {
  const { out } = context;
  out.json(invoice);
  const rows: [string, unknown][] = [
    ['id', invoice.id],
    ['number', invoice.our_number],
    ['status', statusText(context, invoice.status)],
    ['amount', money(invoice)],
    ['customer', printable(invoice.customer.name)],
    ...artifactRows(invoice),
  ];
  await out.table(
    ['invoice', ''],
    rows.map(([name, value]) => [name, String(value)]),
  );
}

/** The payer's means to pay: the Pix code, the boleto line, a link. */
function artifactRows({ payment_method: { type, ...artifacts } }: Invoice): [string, string][] {
  const parts = Object.values(artifacts).flatMap((artifact) => Object.entries(artifact ?? {}));
  return [
    ['method', type],
    ...parts.map(([name, value]): [string, string] => [name, printable(String(value))]),
  ];
}
