// A short history. `npm run proof:payments` creates the long ones.
import { test } from 'vitest';
import { wiseHistory } from '../../../proof/payments/wise.ts';
import { connectDatabase } from '../../../support/database.ts';

const sql = connectDatabase(undefined, { announces: true });

test('ledger, statement and balances match', () => wiseHistory(sql, { seed: 20_261_121, count: 100 }));
