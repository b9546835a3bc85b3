// Mapped properties of HubSpot: their definitions, and their values both ways.
import { expect, test } from 'vitest';
import type { CustomValues } from '../../../../shared/connectors/crms/crm.ts';
import { CrmRejected } from '../../../../shared/connectors/crms/errors.ts';
import { createAccount, fakeOfThisFile, listAll, type TestAccount } from './hubspot-account.ts';

fakeOfThisFile();

const keys = ['size', 'since', 'seen_at', 'tier', 'topics', 'is_vip', 'note', 'unset'];

async function createMapped() {
  const account = await createAccount();
  for (const name of keys)
    await account.fake.control.addProperty(account.id, 'contacts', { name, type: 'string' });
  const options = [
    { label: 'Ouro', value: 'gold' },
    { label: 'Prata', value: 'silver' },
  ];
  const results = [
    { name: 'size', type: 'number', fieldType: 'number' },
    { name: 'since', type: 'date', fieldType: 'date' },
    { name: 'seen_at', type: 'datetime', fieldType: 'date' },
    { name: 'tier', type: 'enumeration', fieldType: 'select', options },
    { name: 'topics', type: 'enumeration', fieldType: 'checkbox', options },
    { name: 'is_vip', type: 'bool', fieldType: 'booleancheckbox', options: [] },
    { name: 'note', type: 'string', fieldType: 'textarea', options: [] },
  ];
  const fault = {
    kind: 'error_before',
    account: account.id,
    path: '/crm/properties/*',
    status: 200,
  } as const;
  await account.fake.control.fault({ ...fault, times: 1000, body: { results } });
  return { ...account, connect: () => account.connect({ customKeys: { lead: keys, deal: [] } }) };
}

const values: CustomValues = {
  ...{ size: 12.5, since: '2026-11-20', seen_at: '2026-11-20T10:00:00.000Z', tier: 'Ouro' },
  ...{ topics: ['Prata', 'Ouro'], is_vip: true, note: 'Text', unset: null },
};
const texts = {
  ...{ size: '12.5', since: '2026-11-20', seen_at: '2026-11-20T10:00:00.000Z', tier: 'gold' },
  ...{ topics: 'silver;gold', is_vip: 'true', note: 'Text', unset: null },
};

test('reads values of each type, and definitions once', async () => {
  const account = await createMapped();
  const contact = await account.fake.control.add(account.id, 'contacts', {
    ...{ ...texts, seen_at: '1763632800000', unset: '' },
  });
  const connection = await account.connect();
  const [read] = await connection.read('lead', [contact.id]);
  await connection.read('lead', [contact.id]);
  expect(read?.values.custom).toEqual({ ...values, seen_at: '2025-11-20T10:00:00.000Z' });
  expect((await listAll(account.connect, 'lead')).flat()[0]?.values.custom).toEqual(read?.values.custom);
  expect(definitionsRead(account)).toBe(2);
});

test('writes values of each type', async () => {
  const account = await createMapped();
  const created = await (await account.connect()).create('lead', { custom: values });
  const { properties } = await account.fake.control.record(account.id, 'contacts', created.id);
  expect(properties).toMatchObject(texts);
  expect(created.values.custom).toEqual(values);
});

test('keeps options that are no longer defined', async () => {
  const account = await createMapped();
  const contact = await account.fake.control.add(account.id, 'contacts', {
    tier: 'bronze',
    topics: ';gold;old',
  });
  const [read] = await (await account.connect()).read('lead', [contact.id]);
  expect(read?.values.custom).toMatchObject({ tier: 'bronze', topics: ['Ouro', 'old'] });
});

test.each<CustomValues>([
  { tier: 'Bronze' },
  { tier: 'gold' },
  { tier: ['Ouro', 'Prata'] },
  { topics: ['Ouro', 'Bronze'] },
  { size: 'large' },
])('rejects %j and names the property', async (custom) => {
  const account = await createMapped();
  const creation = (await account.connect()).create('lead', { custom });
  await expect(creation).rejects.toThrow(CrmRejected);
  await expect(creation).rejects.toThrow(Object.keys(custom)[0]);
  expect(account.sent.filter(({ method, url }) => method === 'POST' && url.endsWith('/contacts'))).toEqual(
    [],
  );
});

test('a property that does not exist is null, and rejected by HubSpot', async () => {
  const account = await createAccount();
  const contact = await account.fake.control.add(account.id, 'contacts', {});
  const connection = await account.connect({ customKeys: { lead: ['missing'], deal: [] } });
  const [read] = await connection.read('lead', [contact.id]);
  expect(read?.values.custom).toEqual({ missing: null });
  const update = connection.update('lead', contact.id, { custom: { missing: 'x' } });
  await expect(update).rejects.toThrow(/missing: PROPERTY_DOESNT_EXIST/);
});

test('definitions are not read if nothing is mapped', async () => {
  const account = await createAccount();
  const connection = await account.connect();
  await connection.create('lead', { email: 'ana@acme.example' });
  expect(definitionsRead(account)).toBe(0);
});

const definitionsRead = ({ sent }: TestAccount): number =>
  sent.filter(({ url }) => url.includes('/properties/')).length;
