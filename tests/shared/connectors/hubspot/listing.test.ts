// Lists of HubSpot's records while they change, and beyond the 10 000 results of a search.
import { expect, test } from 'vitest';
import type { CrmLead, Page } from '../../../../shared/connectors/crms/crm.ts';
import { createAccount, fakeOfThisFile, listAll, type TestAccount } from './hubspot-account.ts';

fakeOfThisFile();

/** Adds contacts, `size` in each of `times` milliseconds. Returns their ids, the oldest first. */
async function addContacts({ fake, id }: TestAccount, times: number, size: number): Promise<string[]> {
  const ids: string[] = [];
  await fake.control.setFrozen(true);
  for (let time = 0; time < times; time += 1) {
    await fake.control.advance({ ms: 1 });
    const added = await fake.control.addMany(
      id,
      'contacts',
      Array.from({ length: size }, () => ({})),
    );
    ids.push(...added.map((contact) => contact.id));
  }
  return ids;
}

test('lists each record once, the oldest change first', async () => {
  const account = await createAccount();
  const ids = await addContacts(account, 90, 5);

  const pages = await listAll(account.connect, 'lead');

  expect(pages.flat().map(({ id }) => id)).toEqual(ids);
  const times = pages.flat().map(({ updatedAt }) => updatedAt);
  expect(times).toEqual(times.toSorted());
});

test('lists only what changed at or after a time', async () => {
  const account = await createAccount();
  const ids = await addContacts(account, 4, 1);
  const [{ records: all }] = [await (await account.connect()).list('lead', { since: null, cursor: null })];

  const pages = await listAll(account.connect, 'lead', all[2]?.updatedAt);

  expect(pages.flat().map(({ id }) => id)).toEqual(ids.slice(2));
});

test('loses nothing while records change, and repeats only those that changed', async () => {
  const account = await createAccount();
  const { fake, id } = account;
  const ids = await addContacts(account, 60, 10);
  const [early = '', middle = '', late = ''] = [ids[3], ids[203], ids[590]];
  const listed: string[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const page: Page<CrmLead> = await (await account.connect()).list('lead', { since: null, cursor });
    listed.push(...page.records.map((record) => record.id));
    cursor = page.next;
    pages += 1;
    if (pages > 1) continue;
    // These move to the end, and everything after them moves up.
    await fake.control.advance({ seconds: 1 });
    for (const moved of [early, middle, late])
      await fake.control.patch(id, 'contacts', moved, { phone: '1' });
    await fake.control.remove(id, 'contacts', ids[1] ?? '');
  } while (cursor !== null);

  expect(new Set(listed)).toEqual(new Set(ids));
  expect(listed.filter((one, index) => listed.indexOf(one) !== index)).toEqual([early]);
});

test('lists more records of the same time than fit on a page, and more than 10 000', async () => {
  const account = await createAccount();
  const before = await addContacts(account, 3, 30);
  const same = await addContacts(account, 1, 10_001);
  const after = await addContacts(account, 3, 30);

  const pages = await listAll(account.connect, 'lead');

  const listed = pages.flat().map(({ id }) => id);
  expect(listed).toHaveLength(before.length + same.length + after.length);
  expect(listed).toEqual([...before, ...same, ...after]);
  for (const { body } of account.sent) expect(body).not.toHaveProperty('after');
});

test('continues with the next type of activity after the last page of one', async () => {
  const account = await createAccount();
  const { fake, id } = account;
  const calls = await fake.control.addMany(
    id,
    'calls',
    Array.from({ length: 230 }, () => ({})),
  );
  const emails = await fake.control.addMany(id, 'emails', [{}, {}]);

  const pages = await listAll(account.connect, 'activity');

  expect(
    pages
      .flat()
      .map(({ id: listed }) => listed)
      .toSorted(),
  ).toEqual(
    [...calls.map((call) => `calls:${call.id}`), ...emails.map((email) => `emails:${email.id}`)].toSorted(),
  );
});

test('reads the contacts of a page of deals in batches of 100', async () => {
  const account = await createAccount();
  const { fake, id } = account;
  const deals = await fake.control.addMany(
    id,
    'deals',
    Array.from({ length: 150 }, () => ({})),
  );
  const contact = await fake.control.add(id, 'contacts', {});
  const last = deals.at(-1)?.id ?? '';
  await fake.control.associate(id, 'deals', last, 'contacts', contact.id);

  const listed = (await listAll(account.connect, 'deal')).flat();

  expect(listed).toHaveLength(150);
  expect(listed.filter(({ values }) => values.contact !== null)).toMatchObject([
    { id: last, values: { contact: contact.id } },
  ]);
  expect(account.sent.filter(({ url }) => url.includes('/associations/'))).toHaveLength(2);
});
