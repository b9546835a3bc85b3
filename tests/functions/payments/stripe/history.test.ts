// A short history. `npm run proof:payments` creates the long ones.
import { test } from 'vitest';
import { stripeAccounts, stripeHistory } from '../../../proof/payments/stripe.ts';
import { connectDatabase } from '../../../support/database.ts';

const sql = connectDatabase(undefined, { announces: true });

test.each(Object.entries(stripeAccounts))('ledger and statement match: %s', (_, settled) =>
  stripeHistory(sql, settled, { seed: 20_261_121, count: 100 }),
);
