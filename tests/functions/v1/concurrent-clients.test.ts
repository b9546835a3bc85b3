// Many concurrent clients on a few records: the service does not fail.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { createTeam, createUser, newEmail, stagesOf } from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';

const sql = connectDatabase();

test('a storm of changes ends without failures', async () => {
  const { token } = await createRecordsTenant(sql);
  const stages = await stagesOf(token);
  const teams = await Promise.all([0, 1, 2].map(() => createTeam(token)));
  let users = await Promise.all([0, 1, 2, 3].map(() => createUser(token)));
  const emails = Array.from({ length: 8 }, newEmail);
  const ids = { leads: [] as string[], deals: [] as string[] };
  let seed = 12345;
  const pick = <T>(list: T[]): T => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return list[Math.floor((seed / 2 ** 31) * list.length)] as T;
  };
  const take = (list: string[]): string => {
    const id = pick(list);
    if (list.length > 1) list.splice(list.indexOf(id), 1);
    return id;
  };
  const failures: unknown[] = [];
  const call = async (method: string, path: string, body?: unknown) => {
    const reply = await records(token, method, path, body);
    // 503 asks the caller to retry: two requests that wait for each other are not a failure.
    if (reply.status === 500) failures.push([method, path, body, reply.status, reply.body]);
    return reply;
  };
  const acts = [
    async () => {
      const { status, body } = await call('POST', '/leads', {
        name: 'L',
        email: pick(emails),
        owner_id: pick(users).id,
      });
      if (status === 201) ids.leads.push(body.data.id);
      else if (body.error.existing_id) ids.leads.push(body.error.existing_id);
    },
    () =>
      call('PATCH', `/leads/${pick(ids.leads)}`, {
        status: pick(['new', 'qualified']),
        owner_id: pick(users).id,
        email: pick(emails),
      }),
    () => call('DELETE', `/leads/${take(ids.leads)}`),
    async () => {
      const { status, body } = await call('POST', `/leads/${pick(ids.leads)}/convert`, {});
      if (status === 200) ids.deals.push(body.data.deal.id);
    },
    async () => {
      const body = {
        name: 'D',
        value: 1,
        owner_id: pick(users).id,
        ...(ids.leads.length && { lead_id: pick(ids.leads) }),
      };
      const reply = await call('POST', '/deals', body);
      if (reply.status === 201) ids.deals.push(reply.body.data.id);
    },
    () =>
      call('POST', `/deals/${pick(ids.deals)}/move`, {
        stage_id: pick(stages as { id: string }[]).id,
        note: 'x',
      }),
    () => call('POST', `/deals/${pick(ids.deals)}/close`, { result: 'won', note: 'x' }),
    () => call('PATCH', `/deals/${pick(ids.deals)}`, { owner_id: pick(users).id, lead_id: pick(ids.leads) }),
    () => call('POST', `/deals/${pick(ids.deals)}/activities`, { type: 'call' }),
    () => call('DELETE', `/deals/${take(ids.deals)}`),
    () => call('POST', `/teams/${pick(teams).id}/members`, { user_id: pick(users).id }),
    () =>
      call('PATCH', `/teams/${pick(teams).id}`, {
        parent_team_id: pick(teams).id,
        leader_id: pick(users).id,
      }),
    () =>
      call('PATCH', `/users/${pick(users).id}`, {
        team_id: pick(teams).id,
        role: pick(['admin', 'manager']),
      }),
    async () => {
      const gone = pick(users);
      await call('DELETE', `/users/${gone.id}${pick(['', '?permanent=true'])}`);
      const reply = await call('POST', '/users', {
        name: 'N',
        email: newEmail(),
        role: 'admin',
        team_id: pick(teams).id,
      });
      users = [...users.filter(({ id }) => id !== gone.id), reply.body.data ?? gone];
    },
    () => call('GET', `/users/${pick(users).id}/stats`),
    () => call('GET', '/leads?search=l'),
  ];
  const client = async () => {
    for (let step = 0; step < 40; step++) await pick(acts)();
  };
  await Promise.all(Array.from({ length: 16 }, client));
  expect(failures).toEqual([]);
});
