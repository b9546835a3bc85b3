// Stages of the pipeline.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { stagesOf } from '../../support/records/record-flows.ts';
import { createRecordsTenant } from '../../support/records/records.ts';

const sql = connectDatabase();

test('stages are listed in order, and a tenant starts with four', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  await sql`select admin.create_stage(${tenantId}, 'Before all', 0, 5)`;
  const stages = await stagesOf(token);
  expect(stages).toHaveLength(5);
  expect(stages[0]).toEqual({ id: stages[0].id, name: 'Before all', position: 0, probability: 5 });
  const positions = stages.map(({ position }: { position: number }) => position);
  expect(positions).toEqual(positions.toSorted((a: number, b: number) => a - b));
});
