// Access of people and boards on the console on the web, with the real functions.
import { expect, test } from 'vitest';
import { demoPerson, follow, newPerson, signedInAs, textOf } from '../support/clients/stack-people.ts';
import { connectDatabase, createTenant } from '../support/database.ts';

const sql = connectDatabase();

test('an admin sees who is linked and gives access, which applies to the next page', async () => {
  const tenant = await createTenant(sql);
  const admin = await newPerson(sql, tenant.id, 'admin', { name: 'Olga Castro' });
  const { person, browser } = await newPerson(sql, tenant.id, 'seller', { name: 'Vera Pinto' });
  await sql`insert into public.users (tenant_id, name, email, role) values (${tenant.id}, 'Nils Berg', 'nils@people.example', 'viewer')`;

  const list = textOf((await admin.browser.get('/access/people')).text);
  expect(list).toMatch(/Vera Pinto \S+ viewer seller yes/);
  expect(list).toMatch(/Nils Berg \S+ viewer seller no/);
  expect(textOf((await admin.browser.get('/access/people?access=admin')).text)).not.toContain('Vera Pinto');
  expect(textOf((await admin.browser.get('/access/people?q=vera')).text)).toContain('Vera Pinto');

  const page = `/access/people/${person.userId}`;
  expect((await browser.get('/payments/invoices')).status).toBe(403);
  const given = await admin.browser.submit(`${page}/preset`, `${page}/preset`, { preset: 'finance' });
  expect(textOf((await follow(admin.browser, given)).text)).toContain('finance');
  expect((await browser.get('/payments/invoices')).status).toBe(200);

  const narrowed = await admin.browser.submit(`${page}/scopes`, `${page}/scopes`, {
    scopes: 'read:payments',
  });
  const after = (await follow(admin.browser, narrowed)).text;
  expect(after).toContain('<code class="field">read:payments</code>');
  expect(after).not.toContain('approve:payouts');
  expect((await browser.get('/payments/invoices')).status).toBe(200);
});

test('nobody gives access that the person lacks, and the page says so', async () => {
  const tenant = await createTenant(sql);
  const access = '{self,manage:access,read:payments}';
  const { browser } = await newPerson(sql, tenant.id, access, { name: 'Rui Lima' });
  const { person } = await newPerson(sql, tenant.id, 'seller', { name: 'Vera Pinto' });
  const page = `/access/people/${person.userId}/preset`;
  const answer = await browser.submit(page, page, { preset: 'finance' });
  expect(answer.status).toBe(403);
  expect(textOf(answer.text)).toContain('You can only grant scopes that your own token has.');
  expect(textOf(answer.text)).toContain('this token lacks the scope manage:payments');
  expect(textOf((await browser.get('/access/people?access=finance')).text)).not.toContain('Vera Pinto');
});

test('a board is created, its address is shown once and opens without signing in, until it is deleted', async () => {
  const tenant = await createTenant(sql);
  const { browser } = await newPerson(sql, tenant.id, 'admin', { name: 'Olga Castro' });
  const form = await browser.submit('/access/boards/new', '/access/boards/new', {
    name: 'Lobby',
    period: 'week',
    expires_at: '2199-01-01T10:00',
  });
  expect(form.status).toBe(200);
  const [, token = ''] = /http:\/\/127\.0\.0\.1:\d+\/board\/(board_[\w-]+)/.exec(form.text) ?? [];
  expect(token).not.toBe('');
  const screen = await browser.copy().get(`/board/${token}`);
  expect([screen.status, screen.text.includes('Lobby')]).toEqual([200, true]);

  const list = await browser.get('/access/boards');
  expect(list.text).not.toContain(token);
  expect(textOf(list.text)).toMatch(/Lobby.*week.*2199/);
  const [, path = ''] = /href="(\/access\/boards\/[0-9a-f-]{36})"/.exec(list.text) ?? [];
  expect((await browser.get(path)).text).not.toContain(token);
  await follow(browser, await browser.submit(`${path}/delete`, `${path}/delete`, {}));
  expect(textOf((await browser.get('/access/boards')).text)).toContain('No boards yet');
  const next = await newPerson(sql, tenant.id, 'seller');
  expect((await next.browser.get(`/board/${token}`)).status).toBe(404);
});

test.each(['felipe', 'marta', 'ana'])('%s has no pages of access', async (name) => {
  const browser = await signedInAs(demoPerson(name));
  for (const path of ['/access/people', '/access/boards', '/access/boards/new'])
    expect([path, (await browser.get(path)).status]).toEqual([path, 403]);
  expect((await browser.get('/')).text).not.toContain('/access/');
});

test('an admin adds a user to a team and removes the user again', async () => {
  const tenant = await createTenant(sql);
  const { browser } = await newPerson(sql, tenant.id, 'admin', { name: 'Olga Castro' });
  const { person } = await newPerson(sql, tenant.id, 'seller', { name: 'Vera Pinto' });
  const created = await browser.submit('/records/teams/new', '/records/teams/new', { name: 'North' });
  const page = created.location.replace(/\?.*/, '');
  const change = async (name: string) =>
    follow(browser, await browser.submit(`${page}/${name}`, `${page}/${name}`, { user_id: person.userId }));
  expect((await browser.get(page)).text).not.toContain(`${page}/remove-member`);
  expect(textOf((await change('add-member')).text)).toMatch(/Members.*Vera Pinto/);
  expect((await browser.get(`${page}/remove-member`)).text).toContain(`<option value="${person.userId}"`);
  expect(textOf((await change('remove-member')).text)).toContain('No members yet');
});
