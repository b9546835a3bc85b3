// More records than a CRM lists at once: each is read.
import { expect, test } from 'vitest';
import { finishRun } from '../../support/connectors.ts';
import { connectTo } from '../../support/crms/connected.ts';
import { hubspot } from '../../support/crms/hubspot.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';

const sql = connectAdmin();
const ROWS = 10_001;

test('10 001 contacts, though HubSpot finds 10 000 at most', async () => {
  const acme = await connectTo(sql, hubspot);
  const contacts = Array.from({ length: ROWS }, (_, n) => ({
    name: `Pessoa ${n}`,
    email: `p${n}@client.example`,
  }));
  await acme.there.addContacts(contacts, true);
  const run = await finishRun(sql, acme, 'preview', { limitMs: 120_000 });
  expect(run).toMatchObject({ status: 'done', read: String(ROWS), created: String(ROWS) });
  const [row] = await sql`select count(*)::integer as count from admin.crm_preview where run_id = ${run.id}`;
  expect(row?.count).toBe(10_000);
});
