// Limits of exchanges and of persons: nobody with an account shuts out others of the same address.
import { expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { startOwnFunction } from '../../support/functions.ts';
import { createAccount, createPerson, exchange, signInToAuth } from '../../support/persons.ts';
import { records } from '../../support/records/records.ts';

const sql = connectDatabase();
const many = <T>(count: number, work: () => Promise<T>) => Promise.all(Array.from({ length: count }, work));

/** Calls the function at its own port, where a test chooses the address. */
const from = async (address: string) => {
  const { baseUrl } = await startOwnFunction('oauth');
  return { baseUrl, headers: { 'cf-connecting-ip': address } };
};
const addressOf = () => `203.0.113.${1 + Math.floor(Math.random() * 250)}`;

test('an account without a workspace is stopped after ten failures in a minute; others of its address are not', async () => {
  const { id } = await createTenant(sql);
  const [person, account] = [await createPerson(sql, id), await createAccount()];
  const token = await signInToAuth(account.email);
  const options = await from(addressOf());
  // More than two minutes' worth, wherever the minutes of the clock begin.
  const replies = await many(40, () => exchange(token, {}, options));
  const statuses = replies.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([400, 429]));
  const stopped = replies.find(({ status }) => status === 429);
  expect(Number(stopped?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await exchange(person.authToken, {}, options)).status).toBe(200);
});

test('an account exchanges sixty times a minute', async () => {
  const { id } = await createTenant(sql);
  const person = await createPerson(sql, id);
  const statuses = (await many(130, () => exchange(person.authToken))).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
});

test('tokens that Auth did not issue count against their address, like wrong secrets of clients', async () => {
  const options = await from('198.51.100.1');
  const statuses = (await many(210, () => exchange('a.b.c', {}, options))).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([400, 429]));
  expect(
    (await exchange('a.b.c', {}, { ...options, headers: { 'cf-connecting-ip': '198.51.100.2' } })).status,
  ).toBe(400);
});

test("a person's burst is stopped, whichever token it uses, and leaves the plan's minute to the others", async () => {
  const { id } = await createTenant(sql);
  await sql`update tenants set plan = 'professional' where id = ${id}`;
  const [ana, bia] = [await createPerson(sql, id), await createPerson(sql, id)];
  const { body } = await exchange(ana.authToken);
  const tokens = [ana.token, body.access_token];
  let turn = 0;
  // More than the 500 requests a minute of the plan.
  const replies = await many(700, () => records(tokens[turn++ % 2] ?? '', 'GET', '/standings'));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 429]));
  const stopped = replies.find(({ status }) => status === 429);
  expect(Number(stopped?.headers.get('retry-after'))).toBeLessThanOrEqual(10);
  expect(stopped?.headers.get('x-ratelimit-limit')).toBe('500');
  expect((await records(bia.token, 'GET', '/standings')).status).toBe(200);
});
