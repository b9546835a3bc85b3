// A short history. `npm run proof:payments` creates the long ones.
import { test } from 'vitest';
import { asaasHistory } from '../../../proof/payments/asaas.ts';
import { connectDatabase } from '../../../support/database.ts';

const sql = connectDatabase(undefined, { announces: true });

test('ledger, statement and balance match', () => asaasHistory(sql, { seed: 7, count: 120 }));
