// `placar payouts`: creates, cancels, shows and lists payouts.
import type { Command } from 'commander';
import type { NewPayout, Payout } from '../../payments.ts';
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

interface NewOptions extends KeyOption {
  file?: string;
  amount?: number;
  currency?: string;
  purpose?: string;
  beneficiaryName?: string;
  beneficiaryDocument?: string;
  beneficiaryPhone?: string;
  pixKey?: string;
  pixKeyType?: string;
  reference?: string;
  metadata?: Record<string, string>;
}

interface ListOptions {
  status?: string;
  reference?: string;
  limit: number;
}

export function payoutsCommand(parent: Command, run: Run): void {
  const payouts = parent.command('payouts').description('Payouts of the payments API');
  payouts
    .command('create')
    .description('Create a payout from JSON (--file or stdin), from flags, or both; flags override the JSON')
    .option('--file <path>', 'request body of POST /payments/payouts as JSON; - for stdin')
    .option('--amount <minor>', 'in minor units: 12345 is 123.45', amountOf('--amount'))
    .option('--currency <code>', 'such as BRL')
    .option('--purpose <purpose>', 'such as prize')
    .option('--beneficiary-name <name>')
    .option('--beneficiary-document <number>', 'CPF or CNPJ')
    .option('--beneficiary-phone <number>')
    .option('--pix-key <key>')
    .option('--pix-key-type <type>', 'cpf, cnpj, email, phone or evp')
    .option('--reference <text>', 'contractor_reference: your own number for the payout')
    .option('--metadata <name=value>', 'metadata entry; repeatable', pairOf('--metadata'))
    .option('--idempotency-key <key>', KEY_HELP)
    .action((options: NewOptions) => run((context) => create(context, options)));
  payouts
    .command('cancel <id>')
    .description('Cancel a payout that has not been sent')
    .option('--reason <text>')
    .option('--idempotency-key <key>', KEY_HELP)
    .action((id: string, options: KeyOption & { reason?: string }) =>
      run(async (context) => {
        const cancellation = options.reason === undefined ? {} : { reason: options.reason };
        await show(context, [
          await clientOf(context).cancel(id, cancellation, writeOptions(context, options)),
        ]);
        return undefined;
      }),
    );
  payouts
    .command('get <id>')
    .description('Show a payout')
    .action((id: string) =>
      run(async (context) => {
        await show(context, [await clientOf(context).get(id, { signal: context.signal })]);
        return undefined;
      }),
    );
  payouts
    .command('list')
    .description('List payouts, newest first')
    .option('--status <status>', 'created, incoming_payment_waiting, processing, paid, failed or canceled')
    .option('--reference <text>', 'only payouts with this contractor_reference')
    .option('--limit <count>', 'maximum number of payouts', countOf('--limit'), 20)
    .action(({ status, reference, limit }: ListOptions) =>
      run(async (context) => {
        const query = {
          limit: Math.min(limit, 100),
          ...definedOnly({ status, contractor_reference: reference }),
        };
        await show(context, await clientOf(context).list(query, { signal: context.signal }).toArray(limit));
        return undefined;
      }),
    );
}

const clientOf = (context: Context) => placarOf(context, ['apiKey'], 'placar payouts').payouts;

async function create(context: Context, options: NewOptions): Promise<undefined> {
  const { file, idempotencyKey: _key, ...flags } = options;
  const hasOtherInput = Object.keys(flags).length > 0;
  const base = await readJsonInput(file, { hasOtherInput, operation: 'POST /payments/payouts' });
  await show(context, [
    await clientOf(context).create(merged(base, options), writeOptions(context, options)),
  ]);
}

function merged(base: Record<string, unknown>, options: NewOptions): NewPayout {
  const given = { ...membersOf(base.beneficiary) } as { bank_account?: unknown };
  const pix = definedOnly({ key: options.pixKey, key_type: options.pixKeyType });
  const account = Object.keys(pix).length > 0 && {
    bank_account: { type: 'pix', ...membersOf(given.bank_account), ...pix },
  };
  const beneficiary = {
    ...given,
    ...definedOnly({
      name: options.beneficiaryName,
      document: options.beneficiaryDocument,
      phone: options.beneficiaryPhone,
    }),
    ...account,
  };
  const payout = {
    ...base,
    ...definedOnly({
      amount: options.amount,
      currency: options.currency,
      purpose: options.purpose,
      contractor_reference: options.reference,
    }),
    ...(Object.keys(beneficiary).length > 0 && { beneficiary }),
    ...(options.metadata && { metadata: { ...membersOf(base.metadata), ...options.metadata } }),
  };
  // The API validates the fields.
  return payout as unknown as NewPayout;
}

async function show(context: Context, payouts: readonly Payout[]): Promise<void> {
  for (const payout of payouts) context.out.json(payout);
  await context.out.table(
    ['id', 'number', 'status', 'amount', 'beneficiary', 'created'],
    payouts.map((payout) => [
      payout.id,
      payout.our_number,
      statusText(context, payout.status),
      money(payout),
      printable(String(payout.beneficiary.name ?? '')),
      payout.created,
    ]),
  );
}
