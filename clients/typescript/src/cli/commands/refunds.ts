// `placar invoices refund` and `placar invoices refunds`.
import type { Command } from 'commander';
import type { Refund } from '../../payments.ts';
import { amountOf, countOf } from '../arguments.ts';
import { type Context, placarOf } from '../context.ts';
import type { Run } from '../main.ts';
import { printable } from '../output.ts';
import { definedOnly, KEY_HELP, type KeyOption, money, statusText, writeOptions } from '../payments.ts';

interface RefundOptions extends KeyOption {
  amount?: number;
  reason?: string;
}

export function refundCommands(invoices: Command, run: Run): void {
  invoices
    .command('refund <id>')
    .description('Refund a paid invoice, all that is left or a part')
    .option(
      '--amount <minor>',
      'in minor units: 12345 is 123.45 (default: all that is left)',
      amountOf('--amount'),
    )
    .option('--reason <text>')
    .option('--idempotency-key <key>', KEY_HELP)
    .action((id: string, options: RefundOptions) =>
      run(async (context) => {
        const { amount, reason } = options;
        const refund = definedOnly({ amount, reason });
        await show(context, [await clientOf(context).refund(id, refund, writeOptions(context, options))]);
        return undefined;
      }),
    );
  invoices
    .command('refunds <id>')
    .description('List the refunds of an invoice, newest first')
    .option('--limit <count>', 'maximum number of refunds', countOf('--limit'), 20)
    .action((id: string, { limit }: { limit: number }) =>
      run(async (context) => {
        const { signal } = context;
        const list = clientOf(context).listRefunds(id, { limit: Math.min(limit, 100) }, { signal });
        await show(context, await list.toArray(limit));
        return undefined;
      }),
    );
}

const clientOf = (context: Context) => placarOf(context, ['apiKey'], 'placar invoices').invoices;

async function show(context: Context, refunds: readonly Refund[]): Promise<void> {
  for (const refund of refunds) context.out.json(refund);
  await context.out.table(
    ['id', 'status', 'amount', 'created', 'reason'],
    refunds.map((refund) => [
      refund.id,
      statusText(context, refund.status),
      money(refund),
      refund.created,
      printable(refund.failure_reason ?? refund.reason ?? refund.pending_reason ?? ''),
    ]),
  );
}
