// A batch has the same result as its operations sent one after another. An atomic batch has this result or none.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import type { Json } from '../../support/gamification/sync.ts';
import { followEvents } from '../../support/records/record-flows.ts';
import { createRecordsTenant, type RecordsTenant, records } from '../../support/records/records.ts';

const sql = connectDatabase();
const RUNS = Number(process.env.BATCH_RUNS ?? 12);

/** Few names for many operations, so that they collide. */
const name = fc.constantFrom('ana', 'bia', 'caio');
const email = fc.constantFrom('a@example.com', 'b@example.com', 'c@example.com', 'nonsense');
const externalId = fc.constantFrom('x', 'y', 'z');
const owner = fc.constantFrom(null, '00000000-0000-4000-8000-000000000000');
const leadData = fc.record(
  {
    name,
    email,
    status: fc.constantFrom('qualified', 'converted'),
    tags: fc.constant(['t']),
    owner_id: owner,
    external_id: fc.option(externalId),
  },
  { requiredKeys: [] },
);
const full = fc.record({ name, email, external_id: externalId }, { requiredKeys: ['name', 'email'] });
/** The index of the record that an operation uses, among those created so far, unless it uses an external id. */
const target = fc.oneof(fc.record({ nth: fc.nat(5) }), fc.record({ external_id: externalId }));
const ifMatch = fc.constantFrom(undefined, undefined, '*', '"20200101000000000000.x"');
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ method: fc.constant('create'), data: fc.oneof(full, leadData) }) },
  {
    weight: 3,
    arbitrary: fc.record({ method: fc.constant('update'), target, data: leadData, if_match: ifMatch }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      method: fc.constant('upsert'),
      external_id: externalId,
      data: fc.oneof(full, leadData).map(({ external_id: _own, ...data }) => data),
      if_match: ifMatch,
    }),
  },
  { weight: 1, arbitrary: fc.record({ method: fc.constant('delete'), target, if_match: ifMatch }) },
);
type Asked = Json;

/** Six leads with these ids, some of which existed before. */
const idOf = (tenant: RecordsTenant, nth: number) =>
  `${tenant.id.slice(0, 24)}${String(nth).padStart(12, '0')}`;

async function start(): Promise<RecordsTenant> {
  const tenant = await createRecordsTenant(sql);
  for (const nth of [0, 1, 2]) {
    const ids = nth === 0 ? { [tenant.clientId]: ['x'] } : {};
    await sql`
      insert into leads (tenant_id, id, name, email, status, external_ids)
      values (${tenant.id}, ${idOf(tenant, nth)}, 'old', ${`${'abc'[nth]}@example.com`}, ${nth === 2 ? 'converted' : 'new'}, ${sql.json(ids)})`;
  }
  return tenant;
}

const inBatch = (tenant: RecordsTenant, { target: named, ...operation }: Asked) => ({
  ...operation,
  ...(named && ('nth' in named ? { id: idOf(tenant, named.nth) } : named)),
});

/** The operation, sent to its own endpoint. */
async function alone(
  tenant: RecordsTenant,
  { method, target: named, external_id: own, data, if_match: tag }: Asked,
) {
  const { token } = tenant;
  const headers: Record<string, string> = tag ? { 'If-Match': tag } : {};
  const pathOf = async () => {
    if ('nth' in named) return `/leads/${idOf(tenant, named.nth)}`;
    const [row] = await sql`
      select record_id as id from external_ids where tenant_id = ${tenant.id} and external_id = ${named.external_id}`;
    return `/leads/${row?.id ?? '00000000-0000-4000-8000-000000000000'}`;
  };
  if (method === 'create') return await records(token, 'POST', '/leads', data);
  if (method === 'upsert') return await records(token, 'PUT', `/leads/external/${own}`, data, { headers });
  if (method === 'update') return await records(token, 'PATCH', await pathOf(), data, { headers });
  return await records(token, 'DELETE', await pathOf(), undefined, { headers });
}

/** The comparable data of a tenant, without ids and times. */
function comparable(value: Json, names: Map<string, string>): Json {
  const text = JSON.stringify(value, (key, member) => {
    if (['created_at', 'updated_at', 'tenant_id'].includes(key)) return undefined;
    return member;
  });
  return text?.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => {
    if (!names.has(id)) names.set(id, `id ${names.size}`);
    return names.get(id) ?? '';
  });
}

async function endOf({ id, clientId }: RecordsTenant, names: Map<string, string>) {
  const leads = await sql`
    select name, email, status, tags, owner_id, external_ids -> ${clientId} as ids from leads where tenant_id = ${id} order by email`;
  const events = await followEvents(sql, id).all();
  // Existing records come first.
  return [
    leads,
    events.map(({ type, data: { external_ids: _ids, ...data } }) => [type, comparable(data, names)]),
  ];
}

test(
  'random batches',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 12 }), async (operations) => {
        const [one, other, third] = [await start(), await start(), await start()];
        const names = [new Map<string, string>(), new Map<string, string>()] as const;
        const singles: Json[] = [];
        for (const asked of operations) {
          const { status, body } = await alone(one, asked);
          singles.push(
            status < 300
              ? status === 204
                ? { status }
                : { status, data: body.data }
              : { status, error: body.error },
          );
        }
        const send = (tenant: RecordsTenant, atomic: boolean) =>
          records(tenant.token, 'POST', '/leads/batch', {
            atomic,
            operations: operations.map((asked) => inBatch(tenant, asked)),
          });
        const { status, body } = await send(other, false);
        expect(status).toBe(200);
        const { results } = body.data;
        expect(results.map((result: Json) => comparable(result, names[1]))).toEqual(
          singles.map((single) => comparable(single, names[0])),
        );
        expect(await endOf(other, names[1])).toEqual(await endOf(one, names[0]));

        const before = await endOf(third, new Map());
        const whole = await send(third, true);
        const refused = singles.some((single) => 'error' in single);
        expect([whole.status, whole.body.error?.code]).toEqual(
          refused ? [422, 'BATCH_REJECTED'] : [200, undefined],
        );
        if (refused) {
          expect(await endOf(third, new Map())).toEqual(before);
          const statuses = whole.body.error.results.map((result: Json) => result.status);
          expect(statuses).toEqual(singles.map((single) => ('error' in single ? single.status : 424)));
        } else {
          expect(whole.body.data.results.map((result: Json) => comparable(result, new Map()))).toHaveLength(
            operations.length,
          );
        }
      }),
      { numRuns: RUNS, ...(process.env.BATCH_SEED && { seed: Number(process.env.BATCH_SEED) }) },
    );
  },
  120_000 + RUNS * 5000,
);
