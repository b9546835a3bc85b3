// `placar balance`: the totals of the ledger.
import type { Command } from 'commander';
import { placarOf } from '../context.ts';
import type { Run } from '../main.ts';
import { money } from '../payments.ts';

export function balanceCommand(parent: Command, run: Run): void {
  parent
    .command('balance')
    .description('Show the balance of the ledger by currency')
    .action(() =>
      run(async (context) => {
        const { out, signal } = context;
        const { data } = await placarOf(context, ['apiKey'], 'placar balance').balance({ signal });
        for (const one of data) out.json(one);
        await out.table(
          ['currency', 'available', 'pending'],
          data.map(({ currency, available, pending }) => [
            currency,
            money({ amount: available, currency }),
            money({ amount: pending, currency }),
          ]),
        );
        return undefined;
      }),
    );
}
