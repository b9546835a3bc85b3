// Long histories that print their progress; `run.ts` starts them.
import { test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { asaasHistory } from './asaas.ts';
import type { HistoryOptions } from './play.ts';
import { stripeAccounts, stripeHistory } from './stripe.ts';
import { wiseHistory } from './wise.ts';

const sql = connectDatabase(undefined, { announces: true });
const provider = process.env.PROOF_PROVIDER;
const options: HistoryOptions = {
  seed: Number(process.env.PROOF_SEED),
  count: Number(process.env.PROOF_COUNT),
  onProgress: (line) => console.log(line),
};
const title = `${options.count} operations of seed ${options.seed}`;

test.runIf(provider === 'asaas')(`Asaas: ${title}`, () => asaasHistory(sql, options));
test.runIf(provider === 'wise')(`Wise: ${title}`, () => wiseHistory(sql, options));
test.runIf(provider === 'stripe').each(Object.entries(stripeAccounts))(`Stripe, %s: ${title}`, (_, settled) =>
  stripeHistory(sql, settled, options),
);
