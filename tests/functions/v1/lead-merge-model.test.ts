// Merges of random leads in random order, compared with a model of plain objects.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { LeadModel, type ModelLead } from '../../support/records/lead-model.ts';
import {
  createDeal,
  createLead,
  createTeam,
  createUser,
  expectData,
  newEmail,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, createToken, records } from '../../support/records/records.ts';
import { createPlan } from '../../support/records/records-furnish.ts';

const sql = connectDatabase();

/** For longer runs: `HISTORY_RUNS=500`. */
const RUNS = Number(process.env.HISTORY_RUNS ?? 15);

/** A text that a lead has, or lacks in one of three ways. */
const text = fc.constantFrom(null, '', '  ', 'Acme', 'Ação');
const value = fc.constantFrom(null, '', 0, false, 'x', { a: null }, []);
const lead = fc.record({
  phone: text,
  company: text,
  position: text,
  source: text,
  tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'A'), { maxLength: 4 }),
  custom_fields: fc.dictionary(fc.constantFrom('k', 'l', 'm'), value),
  owner: fc.constantFrom(null, 0, 1),
  team: fc.constantFrom(null, 0, 1),
  converted: fc.boolean(),
  deals: fc.nat({ max: 2 }),
  notes: fc.nat({ max: 2 }),
  named: fc.subarray(['one', 'other']),
});
const pair = fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 }));

test('the winner matches a plain model, for any leads merged in any order', async () => {
  const { id: tenantId, token: one } = await createRecordsTenant(sql, { plan: await createPlan(sql) });
  const { token: other } = await createToken(sql, tenantId);
  const tokens: Record<string, string> = { one, other };
  const owners = [(await createUser(one)).id, (await createUser(one)).id];
  const teams = [(await createTeam(one)).id, (await createTeam(one)).id];

  await fc.assert(
    fc.asyncProperty(
      fc.array(lead, { minLength: 4, maxLength: 4 }),
      fc.array(pair, { minLength: 1, maxLength: 4 }),
      async (leads, pairs) => {
        const model = new LeadModel();
        const notes = new Map<string, string>();
        const keys: string[] = [];
        for (const { owner, team, converted, deals, notes: count, named, ...body } of leads) {
          const external = Object.fromEntries(named.map((client) => [client, [crypto.randomUUID()]]));
          const record = {
            ...{ name: 'Ana', email: newEmail(), ...body },
            owner_id: owner === null ? null : owners[owner],
            team_id: team === null ? null : teams[team],
          };
          const { id } = await createLead(one, { ...record, external_id: external.one?.[0] ?? null });
          if (external.other)
            await records(other, 'PATCH', `/leads/${id}`, { external_id: external.other[0] });
          const status = converted ? 'converted' : 'new';
          model.leads.set(id, { ...record, status, external } as ModelLead);
          if (converted) {
            const { deal } = await expectData(one, 'POST', `/leads/${id}/convert`, 200);
            model.deals.set(deal.id, id);
          }
          for (let n = 0; n < deals; n++) model.deals.set((await createDeal(one, { lead_id: id })).id, id);
          for (let n = 0; n < count; n++) {
            const [note] = await sql`
                insert into deal_activities (tenant_id, type, lead_id) values (${tenantId}, 'note', ${id}) returning id`;
            notes.set(note?.id, id);
          }
          keys.push(id);
        }
        for (const [w, l] of pairs) {
          const [winner = '', loser = ''] = [keys[w], keys[l]];
          const reply = await records(one, 'POST', `/leads/${winner}/merge`, { loser_id: loser });
          expect({ status: reply.status, merged_into: reply.body.error?.merged_into }).toEqual({
            merged_into: undefined,
            ...model.merge(winner, loser),
          });
        }
        for (const key of keys) {
          const expected = model.leads.get(key);
          if (!expected) {
            const { status, body } = await records(one, 'GET', `/leads/${key}`);
            expect([status, body.error.merged_into]).toEqual([404, model.merged.get(key)]);
            continue;
          }
          const { external, ...members } = expected;
          for (const client of ['one', 'other']) {
            const shown = await expectData(tokens[client] ?? '', 'GET', `/leads/${key}`, 200);
            expect(shown).toMatchObject({ ...members, external_id: external[client]?.[0] ?? null });
            expect(shown.custom_fields).toEqual(members.custom_fields);
            for (const id of external[client] ?? []) {
              const found = await expectData(tokens[client] ?? '', 'GET', `/leads/external/${id}`, 200);
              expect(found.id).toBe(key);
            }
          }
          const rows = await sql`
              select id, lead_id from deals where tenant_id = ${tenantId} and lead_id = ${key}
              union all select id, lead_id from deal_activities where tenant_id = ${tenantId} and lead_id = ${key}`;
          const own = [...model.deals, ...[...notes].map(([note, of]) => [note, model.merged.get(of) ?? of])];
          expect(rows.map(({ id }) => id).sort()).toEqual(
            own
              .filter(([, of]) => of === key)
              .map(([id]) => id)
              .sort(),
          );
        }
      },
    ),
    { numRuns: RUNS },
  );
});
