// Requests whose record is deleted concurrently: they continue without the record, or report that
// the record does not exist.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import type { Reply } from '../../support/gamification/sync.ts';
import { type RecordsTenant, records } from '../../support/records/records.ts';
import { furnish } from '../../support/records/records-furnish.ts';
import {
  type Body,
  type Ids,
  newActivity,
  newDeal,
  newLead,
  withoutReferences,
} from '../../support/records/records-routes.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();

/** Deletes the record in a transaction that ends when the request waits for it. */
async function deleteDuring(table: string, id: string, request: () => Promise<Reply>): Promise<Reply> {
  const { pending } = await sql.begin(async (tx) => {
    const [own] = await tx`select pg_backend_pid() as pid`;
    await tx`delete from ${tx(table)} where id = ${id}`;
    const pending = request();
    const waiting = () => sql`
      select from pg_stat_activity where ${own?.pid}::integer = any (pg_blocking_pids(pid))`;
    await waitFor(async () => (await waiting()).length > 0);
    return { pending };
  });
  return pending;
}

interface Case {
  what: string;
  deleted: [table: string, kind: keyof Ids];
  path(ids: Ids): string;
  method?: string;
  body?(ids: Ids): Body;
  expected: [status: number, field?: string];
}

const cases: Case[] = [
  {
    what: 'an event is not sent to its webhook',
    deleted: ['webhook_endpoints', 'webhook'],
    path: () => '/leads',
    body: () => withoutReferences(newLead()),
    expected: [201],
  },
  {
    what: 'a webhook is not tested',
    deleted: ['webhook_endpoints', 'webhook'],
    path: ({ webhook }) => `/webhooks/${webhook}/test`,
    expected: [404],
  },
  {
    what: 'a delivery is not sent again',
    deleted: ['webhook_endpoints', 'webhook'],
    path: ({ webhook, delivery }) => `/webhooks/${webhook}/deliveries/${delivery}/replay`,
    expected: [404],
  },
  {
    what: 'a lead gets no owner',
    deleted: ['users', 'user'],
    path: () => '/leads',
    body: ({ user }) => ({ ...withoutReferences(newLead()), owner_id: user }),
    expected: [422, 'owner_id'],
  },
  {
    what: 'a deal gets no lead',
    deleted: ['leads', 'lead'],
    path: () => '/deals',
    body: ({ lead }) => ({ ...withoutReferences(newDeal()), lead_id: lead }),
    expected: [422, 'lead_id'],
  },
  {
    what: 'a lead is not converted',
    deleted: ['leads', 'lead'],
    path: ({ lead }) => `/leads/${lead}/convert`,
    expected: [404],
  },
  {
    what: 'a lead is not merged',
    deleted: ['leads', 'lead'],
    path: ({ lead }) => `/leads/${lead}/merge`,
    body: ({ duplicate }) => ({ loser_id: duplicate }),
    expected: [404],
  },
  {
    what: 'nothing is merged into a lead',
    deleted: ['leads', 'duplicate'],
    path: ({ lead }) => `/leads/${lead}/merge`,
    body: ({ duplicate }) => ({ loser_id: duplicate }),
    expected: [422, 'loser_id'],
  },
  {
    what: 'a lead without an owner is merged',
    deleted: ['users', 'user'],
    path: ({ lead }) => `/leads/${lead}/merge`,
    body: ({ duplicate }) => ({ loser_id: duplicate }),
    expected: [200],
  },
  {
    what: 'a deal gets no activity',
    deleted: ['deals', 'deal'],
    path: ({ deal }) => `/deals/${deal}/activities`,
    body: newActivity,
    expected: [404],
  },
  {
    what: 'a deal is not moved',
    deleted: ['deals', 'deal'],
    path: ({ deal }) => `/deals/${deal}/move`,
    body: ({ stage }) => ({ stage_id: stage }),
    expected: [404],
  },
  {
    what: 'a team gets no member',
    deleted: ['users', 'user'],
    path: ({ parent }) => `/teams/${parent}/members`,
    body: ({ user }) => ({ user_id: user }),
    expected: [422, 'user_id'],
  },
  {
    what: 'a team gets no leader',
    deleted: ['users', 'user'],
    method: 'PATCH',
    path: ({ team }) => `/teams/${team}`,
    body: ({ user }) => ({ leader_id: user }),
    expected: [422, 'leader_id'],
  },
  {
    what: 'an activity gets no owner, as its deal has none',
    deleted: ['users', 'user'],
    path: ({ deal }) => `/deals/${deal}/activities`,
    body: newActivity,
    expected: [201],
  },
  {
    what: 'an activity of nobody',
    deleted: ['users', 'user'],
    path: () => '/activities',
    body: newActivity,
    expected: [201],
  },
  {
    what: 'a lead is converted to a deal without an owner',
    deleted: ['users', 'user'],
    path: ({ lead }) => `/leads/${lead}/convert`,
    expected: [200],
  },
  {
    what: 'a deal is won for nobody',
    deleted: ['users', 'user'],
    path: ({ deal }) => `/deals/${deal}/close`,
    body: () => ({ result: 'won', note: 'Signed.' }),
    expected: [200],
  },
];

const send = ({ token }: RecordsTenant, { method = 'POST', path, body }: Case, ids: Ids) =>
  records(token, method, path(ids), body?.(ids));

test.each(cases)('$what', async (one) => {
  const { tenant, ids } = await furnish(sql);
  const events = ['lead.created', 'lead.converted'];
  await records(tenant.token, 'PATCH', `/webhooks/${ids.webhook}`, { events });
  const [table, kind] = one.deleted;
  const reply = await deleteDuring(table, ids[kind], () => send(tenant, one, ids));
  const [status, field] = one.expected;
  expect([reply.status, reply.body]).toEqual([status, expect.anything()]);
  expect(reply.body.error?.details?.[0]?.field).toBe(field);
});
