// Tools: the same data as their operations, in the form that they declare.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { createMcpTenant } from '../../support/mcp/mcp.ts';
import { dataOf, refusalOf } from '../../support/mcp/tool-results.ts';
import {
  createDeal,
  createLead,
  createTeam,
  createUser,
  expectData,
  insertLeads,
  newEmail,
} from '../../support/records/record-flows.ts';

const sql = connectDatabase();

test('returns the same record as the API, with its history', async () => {
  const { token, mcpToken } = await createMcpTenant(sql);
  const lead = await createLead(token);
  const deal = await createDeal(token, { lead_id: lead.id });
  const activity = await expectData(token, 'POST', '/activities', 201, { type: 'call', deal_id: deal.id });
  const [user, team] = [await createUser(token), await createTeam(token)];
  const get = (kind: string, id: string) => dataOf(mcpToken, 'get_record', { kind, id });
  expect(await get('lead', lead.id)).toEqual(await expectData(token, 'GET', `/leads/${lead.id}`, 200));
  expect(await get('deal', deal.id)).toEqual({ ...deal, activities: [activity] });
  expect(await get('user', user.id)).toEqual(await expectData(token, 'GET', `/users/${user.id}`, 200));
  expect(await get('team', team.id)).toEqual(await expectData(token, 'GET', `/teams/${team.id}`, 200));
});

test('lists accept the filters of the API, and no item is lost between pages', async () => {
  const { id, token, mcpToken } = await createMcpTenant(sql, { variant: 'c' });
  await insertLeads(
    sql,
    id,
    Array.from({ length: 45 }, (_, i) => ({ name: `Lead ${i}`, email: newEmail() })),
  );
  const all = await expectData(token, 'GET', '/leads?per_page=100&sort=email', 200);
  const seen = [];
  let cursor: string | null | undefined;
  const sizes = [];
  do {
    const page = await dataOf(mcpToken, 'find_leads', { sort: 'email', ...(cursor && { cursor }) });
    seen.push(...page.items);
    sizes.push(page.items.length);
    cursor = page.next_cursor;
  } while (cursor);
  expect(sizes).toEqual([20, 20, 5]);
  expect(seen).toEqual(all);
  const found = await dataOf(mcpToken, 'find_leads', { search: 'Lead 44', limit: 50 });
  expect(found.items.map(({ name }: { name: string }) => name)).toEqual(['Lead 44']);
  const deal = await createDeal(token, { value: 5 });
  await createDeal(token, { value: 7 });
  expect(await dataOf(mcpToken, 'find_deals', { max_value: 6, status: 'open' })).toEqual({
    items: [deal],
    next_cursor: null,
  });
});

test('a list ends at 64 KiB, between two items', async () => {
  const { token, mcpToken } = await createMcpTenant(sql);
  const large = { blob: 'é'.repeat(7000) };
  for (let i = 0; i < 12; i++) await createLead(token, { name: `Lead ${i}`, custom_fields: large });
  const first = await dataOf(mcpToken, 'find_leads', { limit: 10 });
  expect(first.items.length).toBe(4);
  expect(Buffer.byteLength(JSON.stringify(first.items))).toBeLessThan(64 * 1024);
  const second = await dataOf(mcpToken, 'find_leads', { limit: 10, cursor: first.next_cursor });
  const third = await dataOf(mcpToken, 'find_leads', { limit: 10, cursor: second.next_cursor });
  expect([second.items.length, third.items.length]).toEqual([4, 2]);
  const last = await dataOf(mcpToken, 'find_leads', { limit: 10, cursor: third.next_cursor });
  const names = [first, second, third, last].flatMap(({ items }) =>
    items.map(({ name }: { name: string }) => name),
  );
  expect(names).toEqual(Array.from({ length: 12 }, (_, i) => `Lead ${11 - i}`));
  expect(last.next_cursor).toBeNull();
});

test('standings and points match the API; a user is found by id or email', async () => {
  const { id, token, mcpToken } = await createMcpTenant(sql);
  const user = await createUser(token);
  await sql`select admin.adjust_points(${id}::uuid, ${user.email}, 5, 'Won the quiz')`;
  expect((await dataOf(mcpToken, 'get_standings')).items).toEqual(
    await expectData(token, 'GET', '/standings', 200),
  );
  const points = await expectData(token, 'GET', `/users/${user.id}/points`, 200);
  expect(points).toHaveLength(1);
  for (const named of [user.id, user.email.toUpperCase()])
    expect(await dataOf(mcpToken, 'get_points', { user: named })).toEqual({
      items: points,
      next_cursor: null,
    });
  expect(await refusalOf(mcpToken, 'get_points', { user: newEmail() })).toEqual([
    'NOT_FOUND: There is no player with this id or email address.',
  ]);
  // A collaborator without a user can lead the standings, too.
  const email = newEmail();
  const [{ collaborator } = {}] = await sql`
    insert into collaborators (tenant_id, external_id, name, email) values (${id}, 'b', 'Bruno', ${email}) returning id as collaborator`;
  await sql`select admin.adjust_points(${id}::uuid, ${email}, 7, 'Won the quiz')`;
  for (const named of [collaborator, email])
    expect((await dataOf(mcpToken, 'get_points', { user: named })).items).toMatchObject([{ points: 7 }]);
  expect(await refusalOf(mcpToken, 'get_points', { user: 'bruno' })).toEqual([
    expect.stringContaining(`Players with this name: Bruno: ${collaborator}.`),
  ]);
});

test('an activity is logged once per key', async () => {
  const { token, mcpToken } = await createMcpTenant(sql);
  const deal = await createDeal(token);
  const args = { type: 'call', title: 'Demo', deal_id: deal.id, idempotency_key: crypto.randomUUID() };
  const first = await dataOf(mcpToken, 'log_activity', args);
  expect(await dataOf(mcpToken, 'log_activity', args)).toEqual(first);
  const { summary, ...activity } = first;
  expect(summary).toBe('Logged an activity of type call.');
  expect(await expectData(token, 'GET', `/deals/${deal.id}/activities`, 200)).toEqual([activity]);
});

test('invalid arguments return a tool error that names each of them', async () => {
  const { mcpToken } = await createMcpTenant(sql);
  const lines = (name: string, args: Record<string, unknown>) => refusalOf(mcpToken, name, args);
  const fix = 'VALIDATION_ERROR: Fix these arguments.';
  expect(await lines('find_leads', { nonsense: 1, limit: 51, status: 'x', search: 3 })).toEqual([
    fix,
    'nonsense: is not an argument of this tool',
    'limit: must be an integer from 1 to 50',
    expect.stringMatching(/^status: must be one of new, /),
    'search: must be a string',
  ]);
  expect(await lines('get_record', { kind: 'lead' })).toEqual([fix, 'id: is required']);
  expect(await lines('get_record', { kind: 'secret', id: 'x' })).toEqual([
    fix,
    'kind: must be one of lead, deal, user, team',
  ]);
  const cursor = 'cursor: must be the next_cursor of the same list with the same arguments';
  expect(await lines('find_leads', { cursor: 'x' })).toEqual([fix, cursor]);
  expect(await lines('find_leads', { created_after: 'yesterday' })).toEqual([
    'VALIDATION_ERROR: Fix these query parameters.',
    expect.stringMatching(/^created_after: /),
  ]);
  expect(await lines('log_activity', { type: 'x', x: 1 })).toEqual([
    fix,
    'x: is not an argument of this tool',
  ]);
  expect(await lines('log_activity', { type: 'x', duration_minutes: '3' })).toEqual([
    'VALIDATION_ERROR: Fix these fields.',
    expect.stringMatching(/^type: must be one of/),
    'duration_minutes: must be an integer',
  ]);
  expect(await lines('get_record', { kind: 'lead', id: '\u0000\ud800' })).toEqual([
    expect.stringMatching(/^NOT_FOUND: /),
  ]);
});

test('a cursor is valid only for the list that returned it', async () => {
  const { id, mcpToken } = await createMcpTenant(sql);
  await insertLeads(sql, id, [
    { name: 'A', email: newEmail() },
    { name: 'B', email: newEmail() },
  ]);
  const { next_cursor: cursor } = await dataOf(mcpToken, 'find_leads', { limit: 1 });
  expect((await dataOf(mcpToken, 'find_leads', { limit: 1, cursor })).items).toHaveLength(1);
  expect(await refusalOf(mcpToken, 'find_leads', { limit: 1, cursor, status: 'new' })).toHaveLength(2);
  expect(await refusalOf(mcpToken, 'find_deals', { limit: 1, cursor })).toHaveLength(2);
});

test('removes control and hidden characters, and cannot read another tenant', async () => {
  const [own, other] = [await createMcpTenant(sql), await createMcpTenant(sql)];
  const { id: leadId } = await createLead(own.token, {
    // The tags spell "hi".
    custom_fields: {
      'a\u001bb': ['x\u0007y\n\tz\u0085', 'x\u{e0068}\u{e0069}\u{e0100}y', 'a\u202eb', 'é👩‍💻'],
      // Characters without width, which can spell a text in binary.
      binary: ['a\u200b\u2060\u200b\ufe01b', 'a\u200c\u200d\u200c\u200db', '❤\ufe0f\u200d🔥'],
    },
  });
  const { custom_fields: fields } = await dataOf(own.mcpToken, 'get_record', { kind: 'lead', id: leadId });
  expect(fields).toEqual({ ab: ['xy\n\tz', 'xy', 'ab', 'é👩‍💻'], binary: ['ab', 'ab', '❤\ufe0f\u200d🔥'] });
  expect((await dataOf(other.mcpToken, 'find_leads')).items).toEqual([]);
  expect(await refusalOf(other.mcpToken, 'get_record', { kind: 'lead', id: leadId })).toEqual([
    expect.stringMatching(/^NOT_FOUND: /),
  ]);
});
