// `npm run demo` completes what is there, and says what it created.
import { expect, inject, test } from 'vitest';
import { createDemoData } from '../../scripts/demo/create-demo-data.ts';
import { connect, createCredentials } from '../support/clients/client.ts';
import { connectDatabase } from '../support/database.ts';

const sql = connectDatabase(undefined, { announces: true });

test('a workspace that has a lead gets the other records, and a second run repeats none of them', async () => {
  const credentials = await createCredentials(sql);
  const placar = connect(credentials);
  await placar.leads.create({ name: 'Nina Reis', email: 'nina@shop.example' });
  const target = {
    ...inject('stack'),
    tenant_id: credentials.tenantId,
    api_key: credentials.apiKey,
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
  };
  const run = async () => {
    const said: string[] = [];
    await createDemoData(target, sql, (made) => said.push(made));
    return said;
  };
  const counts = async () => [
    (await placar.leads.list().toArray()).length,
    (await placar.deals.list().toArray()).length,
  ];

  const first = await run();
  expect(first).toContainEqual(expect.stringMatching(/^created users \(\d\), leads \(12\), deals \(18\)$/));
  const before = await counts();
  const second = await run();
  expect(second).toContain('already there: users, leads, deals');
  expect(second).toContainEqual('already there: webhooks');
  expect(second.at(-1)).toMatch(/^created invoices \(10\), payouts \(3\)$/);
  expect(await counts()).toEqual(before);
});
