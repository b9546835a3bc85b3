// The points ledger: entries are written immediately and never removed.
import { describe, expect, test } from 'vitest';
import { connectDatabase, truncateRefusal } from '../support/database.ts';
import {
  createWorkspace,
  inTransaction,
  refusal,
  type Workspace,
} from '../support/gamification/gamification.ts';

const sql = connectDatabase();

/** A test in its own transaction, with the users ana and bia. */
function withWorkspace(name: string, run: (w: Workspace) => Promise<void>): void {
  test(name, () => inTransaction(sql, async (tx) => await run(await createWorkspace(tx))));
}

const totals = async (w: Workspace, expected: Record<string, number>) => {
  expect(await w.points()).toEqual(expected);
  expect(await w.sql`select * from admin.point_differences where tenant_id = ${w.id}`).toEqual([]);
};

describe('many rows in one statement', () => {
  withWorkspace(
    'a statement that changes several hundred deals awards their points in one statement',
    async (w) => {
      await w.rule('deal.won', 3);
      await w.rule('deal.stage_changed', 1);
      const [ana, bia, proposal] = [
        await w.userId('ana'),
        await w.userId('bia'),
        await w.stageId('Proposal'),
      ];
      await w.sql`
      insert into deals (tenant_id, name, value, stage_id, owner_id)
      select ${w.id}, 'Deal ' || n, n, ${await w.stageId('Prospecting')},
             (array[${ana}, ${bia}, null]::uuid[])[n % 3 + 1]
      from generate_series(1, 300) as n`;
      await w.sql`update deals set status = 'won', stage_id = ${proposal} where tenant_id = ${w.id}`;
      await totals(w, { ana: 400, bia: 400 });
      expect(await w.entries()).toHaveLength(400);
      expect(await w.sql`select distinct cmin from point_entries where tenant_id = ${w.id}`).toHaveLength(1);
    },
  );

  withWorkspace('several hundred logged activities are awarded in one statement', async (w) => {
    await w.rule('activity.completed', 2);
    const deals = [await w.deal('ana'), await w.deal('bia'), await w.deal(null)];
    await w.sql`
      insert into deal_activities (tenant_id, type, deal_id)
      select ${w.id}, 'call', (${deals}::uuid[])[n % 3 + 1] from generate_series(1, 300) as n`;
    await totals(w, { ana: 200, bia: 200 });
    expect(await w.entries()).toHaveLength(200);
    expect(await w.sql`select distinct cmin from point_entries where tenant_id = ${w.id}`).toHaveLength(1);
  });

  withWorkspace('a batch of 1000 numbered activities awards in one statement', async (w) => {
    const collaborators = [await w.addCollaborator('ana'), await w.addCollaborator('caio')];
    const [mission] = await w.sql`select admin.create_mission(${w.id}, 'Calls', 2) as id`;
    await w.sql`select admin.map_activity_code(${w.id}, '001', ${mission?.id})`;
    await w.sql`
      insert into activities (tenant_id, external_id, activity_code, collaborator_id)
      select ${w.id}, n::text, '001', (${collaborators}::uuid[])[n % 2 + 1] from generate_series(1, 1000) as n`;
    await totals(w, { ana: 1000, bia: 0, caio: 1000 });
    expect(await w.sql`select distinct cmin from point_entries where tenant_id = ${w.id}`).toHaveLength(1);
  });
});

describe('the ledger', () => {
  withWorkspace('rows that point entries reference cannot be deleted or get a new id', async (w) => {
    const tx = w.sql as Parameters<typeof refusal>[0];
    const collaborator = await w.addCollaborator('caio');
    const [mission] = await w.sql`select admin.create_mission(${w.id}, 'Calls', 4) as id`;
    await w.sql`select admin.map_activity_code(${w.id}, '001', ${mission?.id})`;
    await w.sql`
      insert into activities (tenant_id, external_id, activity_code, collaborator_id)
      values (${w.id}, '1', '001', ${collaborator}), (${w.id}, '2', '002', ${collaborator})`;
    await w.sql`select admin.unmap_activity_code(${w.id}, '001')`;
    await w.rule('deal.won', 1);
    await w.deal('bia', { status: 'won' });
    await w.sql`delete from users where tenant_id = ${w.id}`;
    for (const statement of [
      `delete from players where tenant_id = '${w.id}' and email like 'bia@%'`,
      `update players set id = gen_random_uuid() where tenant_id = '${w.id}' and email like 'bia@%'`,
      `delete from missions where tenant_id = '${w.id}'`,
      `update missions set id = gen_random_uuid() where tenant_id = '${w.id}'`,
      `delete from activities where tenant_id = '${w.id}' and external_id = '1'`,
    ]) {
      expect(await refusal(tx, (sp) => sp.unsafe(statement))).toMatch(
        /^(players|missions|activities): referenced by point entries$/,
      );
    }
    for (const change of ['points = points + 1 where', 'created_at = now() where']) {
      const statement = `update point_entries set ${change} tenant_id = '${w.id}'`;
      expect(await refusal(tx, (sp) => sp.unsafe(statement))).toMatch('append-only');
    }
    expect(await refusal(tx, (sp) => sp`delete from point_entries where tenant_id = ${w.id}`)).toMatch(
      'append-only',
    );
    // Without points, they can be deleted.
    await w.sql`delete from players where tenant_id = ${w.id} and email like 'ana@%'`;
    await w.sql`delete from activities where tenant_id = ${w.id} and external_id = '2'`;
    await totals(w, { bia: 1, caio: 0 });
  });

  test.each([
    ['activities', 'activities: referenced by point entries'],
    ['point_entries', 'append-only'],
  ])('%s cannot be truncated', async (table, message) => {
    expect(await truncateRefusal(sql, table)).toMatch(message);
  });

  withWorkspace('an entry for an unknown player is rejected', async (w) => {
    const other = await createWorkspace(w.sql);
    const tx = w.sql as Parameters<typeof refusal>[0];
    const [player] = await w.sql`select id from players where tenant_id = ${other.id} limit 1`;
    const insert = refusal(
      tx,
      (sp) => sp`
      insert into point_entries (tenant_id, player_id, reason, points) values (${w.id}, ${player?.id}, 'automation', 5)`,
    );
    expect(await insert).toMatch('the player does not exist in this tenant');
  });
});
