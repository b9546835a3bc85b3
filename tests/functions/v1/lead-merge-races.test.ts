// Merges concurrent with other changes of the two leads: the result is that of some sequential order.

import fc from 'fast-check';
import { test } from 'vitest';
import { type LeadText, leadTextNames } from '../../../shared/records/leads/texts.ts';
import { connectDatabase } from '../../support/database.ts';
import type { Reply } from '../../support/gamification/sync.ts';
import { LeadModel, type ModelLead, type ModelReply } from '../../support/records/lead-model.ts';
import { createUser, newEmail, stagesOf } from '../../support/records/record-flows.ts';
import { createRecordsTenant, type RecordsTenant, records } from '../../support/records/records.ts';
import { createPlan } from '../../support/records/records-furnish.ts';

const sql = connectDatabase();

/** For longer runs: `HISTORY_RUNS=500`. */
const RUNS = Number(process.env.HISTORY_RUNS ?? 60);

/** Ids of the records of a round, by the keys of the model. */
interface Round {
  ids: Record<string, string>;
  names: Record<'a' | 'b', string>;
  owner: string;
  send(method: string, path: string, body?: object): Promise<Reply>;
}

interface Act {
  send(round: Round): Promise<Reply>;
  plain(model: LeadModel, round: Round): ModelReply;
}

const merge = (winner: string, loser: string): Act => ({
  send: ({ send, ids }) => send('POST', `/leads/${ids[winner]}/merge`, { loser_id: ids[loser] }),
  plain: (model) => model.merge(winner, loser),
});
const patch = (key: string): Act => ({
  send: ({ send, ids }) => send('PATCH', `/leads/${ids[key]}`, { phone: `patch ${key}` }),
  plain: (model) => model.change(key, { phone: `patch ${key}` }),
});
const remove = (key: string): Act => ({
  send: ({ send, ids }) => send('DELETE', `/leads/${ids[key]}`),
  plain: (model) => model.remove(key),
});
const convert = (key: string): Act => ({
  send: ({ send, ids }) => send('POST', `/leads/${ids[key]}/convert`, { deal_name: `of ${key}` }),
  plain(model) {
    const reply = model.convert(key);
    if (reply.status === 200) model.deals.set(`of ${key}`, key);
    return reply;
  },
});
const putBody = (key: 'a' | 'b', { names }: Round) => ({
  name: 'Put',
  email: `${names[key]}-put@example.com`,
  phone: `put ${key}`,
});
const put = (key: 'a' | 'b'): Act => ({
  send: (round) =>
    round.send('PUT', `/leads/external/${round.names[key]}`, { ...putBody(key, round), company: null }),
  plain: (model, round) =>
    model.put('client', round.names[key], { ...plainLead, ...putBody(key, round), company: null }),
});
const link = (key: string): Act => ({
  send: ({ send, ids }) => send('PATCH', `/deals/${ids.deal}`, { lead_id: ids[key] }),
  plain: (model) => model.linkDeal('deal', key),
});
const acts: Record<string, Act> = {
  'merge a <- b': merge('a', 'b'),
  'merge b <- a': merge('b', 'a'),
  'patch a': patch('a'),
  'patch b': patch('b'),
  'remove a': remove('a'),
  'remove b': remove('b'),
  'convert a': convert('a'),
  'convert b': convert('b'),
  'put a': put('a'),
  'put b': put('b'),
  'link a': link('a'),
  'link b': link('b'),
  'remove owner': {
    send: ({ send, owner }) => send('DELETE', `/users/${owner}?permanent=true`),
    plain(model) {
      for (const lead of model.leads.values()) lead.owner_id = null;
      return { status: 204 };
    },
  },
};

const noTexts = Object.fromEntries(leadTextNames.map((name) => [name, null])) as Record<LeadText, null>;

const plainLead: ModelLead = {
  ...{ name: 'Ana', email: '', ...noTexts },
  ...{ owner_id: null, team_id: null, status: 'new', custom_fields: {}, tags: [], external: {} },
};

/** Two leads. The second has an owner and a company, which the first lacks, and a deal of the same owner. */
async function begin({ id: tenantId, token, clientId }: RecordsTenant): Promise<[Round, LeadModel]> {
  const owner = (await createUser(token)).id;
  const [stage] = await stagesOf(token);
  const names = { a: crypto.randomUUID(), b: crypto.randomUUID() };
  const model = new LeadModel();
  const ids: Record<string, string> = {};
  for (const key of ['a', 'b'] as const) {
    const lead = { ...plainLead, email: newEmail(), external: { client: [names[key]] } };
    if (key === 'b') Object.assign(lead, { company: 'Acme', owner_id: owner });
    const [row] = await sql`
      insert into leads (tenant_id, name, email, company, owner_id, external_ids)
      values (${tenantId}, 'Ana', ${lead.email}, ${lead.company}, ${lead.owner_id}, ${JSON.stringify({ [clientId]: [names[key]] })}::text::jsonb)
      returning id`;
    ids[key] = row?.id;
    model.leads.set(key, lead);
  }
  for (const deal of ['deal', 'other', 'third']) {
    const [row] = await sql`
      insert into deals (tenant_id, name, value, stage_id, owner_id, lead_id)
      values (${tenantId}, ${deal}, 1, ${stage.id}, ${owner}, ${ids.b ?? null}) returning id`;
    ids[deal] = row?.id;
    model.deals.set(deal, 'b');
  }
  const send = (method: string, path: string, body?: object) => records(token, method, path, body);
  return [{ ids, names, owner, send }, model];
}

/** All records, with the keys of the model. */
async function stateOf({ id: tenantId, clientId }: RecordsTenant, { ids, names }: Round): Promise<unknown> {
  const keys = new Map(Object.entries(ids).map(([key, id]) => [id, key]));
  const known = Object.values(names);
  const leads = await sql`
    select id, phone, company, owner_id, status, external_ids -> ${clientId} as names from leads
    where tenant_id = ${tenantId} and external_ids -> ${clientId} ?| ${known}`;
  const keyOf = (id: string) => keys.get(id) ?? leads.find((lead) => lead.id === id)?.names[0];
  const deals = await sql`
    select name, lead_id from deals where tenant_id = ${tenantId}
      and (id = any (${Object.values(ids)}) or lead_id = any (${leads.map(({ id }) => id)}))`;
  return {
    leads: leads.map(({ id, ...lead }) => ({ key: keyOf(id), ...lead })).toSorted(byKey),
    deals: deals.map(({ name, lead_id: id }) => ({ key: name, lead: id && keyOf(id) })).toSorted(byKey),
  };
}

const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1);

const plainState = (model: LeadModel): unknown => ({
  leads: [...model.leads]
    .map(([key, { phone, company, owner_id, status, external }]) => ({
      ...{ key, phone, company, owner_id, status, names: external.client },
    }))
    .toSorted(byKey),
  deals: [...model.deals]
    .map(([key, lead]) => ({ key, lead }))
    // A deal that a conversion created is not compared after its lead is deleted.
    .filter(({ key, lead }) => lead !== null || !key.startsWith('of '))
    .toSorted(byKey),
});

const said = (act: string, status?: number, mergedInto?: string) => [act, status, mergedInto ?? null];

const orders = <T>(items: T[]): T[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item) => orders(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));

test('concurrent requests end as in some order of them, without deadlocks', async () => {
  const tenant = await createRecordsTenant(sql, { plan: await createPlan(sql) });
  const others = Object.keys(acts);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('merge a <- b', 'merge b <- a'),
      fc.shuffledSubarray(others, { minLength: 1, maxLength: 4 }),
      async (first, rest) => {
        const [round, model] = await begin(tenant);
        const chosen = [...new Set([first, ...rest])];
        const replies = await Promise.all(
          chosen.map(async (name) => [name, await acts[name]?.send(round)] as const),
        );
        const keys = new Map(Object.entries(round.ids).map(([key, id]) => [id, key]));
        const told = replies.map(([name, reply]) =>
          said(name, reply?.status, keys.get(reply?.body?.error?.merged_into)),
        );
        const seen = JSON.stringify([told, await stateOf(tenant, round)]);
        const possible = orders(chosen).map((order) => {
          const copy = model.copy();
          const answers = new Map(order.map((name) => [name, acts[name]?.plain(copy, round)]));
          const plain = chosen.map((name) =>
            said(name, answers.get(name)?.status, answers.get(name)?.merged_into),
          );
          return JSON.stringify([plain, plainState(copy)]);
        });
        if (!possible.includes(seen)) {
          throw new Error(`No order gives\n${seen}\nbut only\n${[...new Set(possible)].join('\n')}`);
        }
      },
    ),
    { numRuns: RUNS },
  );
}, 300_000);
