// Events of one record and type within a window, combined in one delivery: it is sent at the end of the window with the last event and all
// changed members. No event is lost or sent twice, also if events occur while it is sent.
import { expect, test } from 'vitest';
import { createChance } from '../../proof/requests/random.ts';
import { connectDatabase, createApiKey, createTenant } from '../../support/database.ts';
import { PAYMENT_SCOPES, pay } from '../../support/payments/payments.ts';
import { createLead, expectData } from '../../support/records/record-flows.ts';
import { createRecordsTenant, createToken, records } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  createWebhook,
  type EmittedDelivery,
  passTime,
  startDeliverer,
  startEndpoint,
} from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const LONG = { limitMs: 120_000 };
const SEED = Number(process.env.FOLDING_SEED ?? 20_261_122);

const bodies = (received: readonly { body: string }[]) => received.map(({ body }) => JSON.parse(body));

async function createFolding(url: string, seconds: number) {
  const { id: tenantId } = await createTenant(sql);
  const { id } = await createWebhook(sql, tenantId, url);
  await sql`update webhook_endpoints set fold_seconds = ${seconds} where id = ${id}`;
  return { tenantId, id, lane: `webhook-${id}` };
}

test('changes of a lead are combined through the API, in the names of the webhook', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const { token: own } = await createToken(sql, tenantId, { scopes: ['admin'], variant: 'b' });
  const { url, received } = await startEndpoint();
  const { url: otherUrl, received: each } = await startEndpoint();
  const events = ['lead.updated', 'lead.deleted'];
  const webhook = await expectData(own, 'POST', '/webhooks', 201, { url, events, fold_seconds: 300 });
  expect(webhook.fold_seconds).toBe(300);
  const plain = await expectData(own, 'POST', '/webhooks', 201, { url: otherUrl, events });
  expect(plain.fold_seconds).toBe(null);

  const [ana, bia] = [await createLead(token), await createLead(token)];
  const change = (id: string, body: object) => expectData(token, 'PATCH', `/leads/${id}`, 200, body);
  await change(ana.id, { phone: '1' });
  await change(bia.id, { company: 'Acme' });
  await change(ana.id, { company: 'Acme' });
  await change(ana.id, { phone: '2' });
  await records(token, 'DELETE', `/leads/${ana.id}`);
  await waitFor(() => each.length === 5);
  expect(bodies(each).map((body) => 'folded' in body || 'changed' in body)).toEqual(Array(5).fill(false));
  expect(received).toEqual([]);

  const [waiting] = await sql`
    select id from webhook_deliveries where endpoint_id = ${webhook.id} and folded = 3 and status = 'pending'`;
  await passTime(sql, webhook.id);
  await sql`select private.call_sweep()`;
  await waitFor(() => received.length === 3, LONG);
  const told = bodies(received)
    .map(({ type, data, changed, folded }) => [type, data.id, data.phone, changed, folded])
    .sort((a, b) => b[4] - a[4] || a[0].localeCompare(b[0]));
  expect(told).toEqual([
    ['lead.updated', ana.id, '2', ['company', 'phone'], 3],
    ['lead.deleted', ana.id, '2', [], 1],
    ['lead.updated', bia.id, bia.phone, ['company'], 1],
  ]);
  // The id is that of the last event, and the log shows the sent payload.
  const updates = bodies(each).filter(({ type, data }) => type === 'lead.updated' && data.id === ana.id);
  const sent = received.find(({ headers }) => headers['webhook-id'] === waiting?.id);
  const body = JSON.parse(sent?.body ?? '{}');
  expect(body.id).toBe(updates.find(({ data }) => data.phone === '2').id);
  const log = `/webhooks/${webhook.id}/deliveries/${waiting?.id}`;
  expect((await expectData(token, 'GET', log, 200)).payload).toEqual(body);

  // Events that were replaced by a later one are not sent by a replay.
  const replay = await expectData(token, 'POST', `/webhooks/${webhook.id}/replay`, 202, {
    since: '2026-01-01T00:00:00Z',
  });
  expect(replay.total).toBe(3);
  await waitFor(() => received.length === 6, LONG);
  expect(new Set(received.map(({ body: one }) => one)).size).toBe(3);
});

test('its time is from 1 to 300 seconds, and null turns it off', async () => {
  const { token } = await createRecordsTenant(sql);
  const make = (fold_seconds: unknown) =>
    records(token, 'POST', '/webhooks', {
      url: 'https://hooks.example.invalid/x',
      events: ['lead.created'],
      fold_seconds,
    });
  for (const wrong of [0, 301, 1.5, '5', true]) {
    const { status, body } = await make(wrong);
    expect([wrong, status, body.error.code]).toEqual([wrong, 400, 'VALIDATION_ERROR']);
    expect(body.error.details).toEqual([
      { field: 'fold_seconds', message: 'must be an integer from 1 to 300' },
    ]);
  }
  const { body } = await make(5);
  const path = `/webhooks/${body.data.id}`;
  expect(await expectData(token, 'PATCH', path, 200, { description: 'x' })).toMatchObject({
    fold_seconds: 5,
  });
  expect(await expectData(token, 'PATCH', path, 200, { fold_seconds: null })).toMatchObject({
    fold_seconds: null,
  });
});

test('of payments, by the second', async () => {
  const { id } = await createTenant(sql);
  const { apiKey } = await createApiKey(sql, id, { scopes: PAYMENT_SCOPES });
  const { url, received } = await startEndpoint();
  const body = { url, events: ['payout.paid'], fold_seconds: 1 };
  const made = await pay(apiKey, '/webhooks', body);
  expect([made.status, made.body.fold_seconds]).toEqual([201, 1]);
  await sql.begin(async (tx) => {
    await tx`
      insert into events (tenant_id, interface, type, changed, data)
      select ${id}, 'payments', 'payout.paid', array[name], jsonb_build_object('id', 'po_1', 'status', 'paid', 'amount', n, 'created', '2026-01-01T00:00:00Z')
      from (values (1, 'status'), (2, 'amount')) as v (n, name) order by n`;
    await tx`update jobs set published_at = null where tenant_id = ${id}`;
  });
  await sql`select private.call_sweep()`;
  await waitFor(() => received.length > 0, LONG);
  expect(bodies(received)).toMatchObject([{ changed: ['amount', 'status'], folded: 2, data: { amount: 2 } }]);
});

test('a delivery that an event joins at that moment is sent with it', async () => {
  const endpoint = await startEndpoint();
  const { tenantId, id, lane } = await createFolding(endpoint.url, 1);
  const { publish } = await startDeliverer();
  const emit = (tx: typeof sql, n: number) => tx`
    insert into events (tenant_id, interface, type, changed, data)
    values (${tenantId}, 'payments', 'payout.paid', array['amount'], jsonb_build_object('id', 'po_1', 'amount', ${n}::int))`;
  const job = async () => {
    const [row] = await sql`
      select j.id as "jobId", j.lane, j.key as id, j.attempts from jobs j where j.lane = ${lane} and j.finished_at is null`;
    return row;
  };
  const joining = await sql.reserve();
  try {
    await joining`begin`;
    await sql.begin(async (tx) => {
      await emit(tx as unknown as typeof sql, 1);
      await tx`update jobs set published_at = '2999-01-01' where lane = ${lane}`;
    });
    await emit(joining as unknown as typeof sql, 2);
    // The window has ended. A worker began and ended without sending anything.
    await waitFor(async () => {
      const found = await job();
      if (found) await publish(found as unknown as EmittedDelivery);
      return (found?.attempts ?? 0) > 1;
    }, LONG);
    expect(endpoint.received).toEqual([]);
    await joining`commit`;
  } finally {
    joining.release();
  }
  await waitFor(async () => {
    const found = await job();
    if (found) await publish(found as unknown as EmittedDelivery);
    return endpoint.received.length > 0;
  }, LONG);
  expect(bodies(endpoint.received)).toMatchObject([{ data: { amount: 2 }, folded: 2 }]);
  expect(await sql`select from webhook_deliveries where endpoint_id = ${id}`).toHaveLength(1);
});

test('an expired window accepts no more events, even if it was not sent, nor does a replayed one', async () => {
  const { tenantId, id } = await createFolding('https://hooks.example.invalid/x', 300);
  const emit = () => sql`
    insert into events (tenant_id, interface, type, data) values (${tenantId}, 'payments', 'payout.paid', '{"id": "po_1"}')`;
  const folded = async () =>
    (await sql`select folded from webhook_deliveries where endpoint_id = ${id} order by created_at`).map(
      (row) => row.folded,
    );
  await sql`select admin.pause_webhook(${id})`;
  await emit();
  await emit();
  expect(await folded()).toEqual([2]);
  await sql`update webhook_deliveries set fold_until = now(), next_at = now() where endpoint_id = ${id}`;
  await emit();
  await emit();
  expect(await folded()).toEqual([2, 2]);
  // Deactivated and activated again within a window: the window continues.
  await sql`select admin.deactivate_webhook(${id})`;
  await sql`select admin.reactivate_webhook(${id})`;
  await emit();
  expect(await folded()).toEqual([2, 3]);
  // A single replayed delivery is sent immediately, and no more events are added.
  const [last] = await sql`select id from webhook_deliveries where endpoint_id = ${id} and folded = 3`;
  await sql.begin(async (tx) => {
    await tx`select admin.replay_delivery(${last?.id})`;
    await tx`update jobs set published_at = '2999-01-01' where key = ${last?.id}`;
  });
  expect(await sql`select from jobs where key = ${last?.id} and due_at <= now()`).toHaveLength(1);
  await emit();
  expect(await folded()).toEqual([2, 3, 1]);
});

test('whatever changes in its webhook meanwhile, an event joins one window and no write is rejected', async () => {
  const { tenantId, id } = await createFolding('https://hooks.example.invalid/x', 300);
  const write = () => sql`
    insert into events (tenant_id, interface, type, data) values (${tenantId}, 'payments', 'payout.paid', '{"id": "po_1"}')`;
  const windows = () =>
    sql`select folded, record_id, sequence is null as unordered from webhook_deliveries where endpoint_id = ${id}`;
  await write();
  // Ordered delivery is enabled, and an event occurs before the commit.
  const admin = await sql.reserve();
  let joined: Promise<unknown>;
  try {
    await admin`begin`;
    await admin`update webhook_endpoints set ordered = true where id = ${id}`;
    joined = write().execute();
    await waitFor(async () => {
      const waiting = await sql`select from pg_locks where not granted and pid <> pg_backend_pid()`;
      return waiting.length > 0;
    });
    await admin`commit`;
  } finally {
    admin.release();
  }
  await joined;
  expect(await windows()).toEqual([{ folded: 2, record_id: 'po_1', unordered: false }]);
  await sql`update webhook_endpoints set ordered = false where id = ${id}`;
  await write();
  expect(await windows()).toEqual([{ folded: 3, record_id: 'po_1', unordered: false }]);

  // An event that is being added does not block changes of the webhook.
  const writer = await sql.reserve();
  try {
    await writer`begin`;
    await writer`
      insert into events (tenant_id, interface, type, data) values (${tenantId}, 'payments', 'payout.paid', '{"id": "po_1"}')`;
    await sql.begin(async (tx) => {
      await tx`set local lock_timeout = '2s'`;
      await tx`update webhook_endpoints set ordered = true where id = ${id}`;
      await tx`select admin.pause_webhook(${id})`;
      await tx`select admin.deactivate_webhook(${id})`;
    });
    await writer`commit`;
  } finally {
    writer.release();
  }
  expect((await windows())[0]?.folded).toBe(4);
});

test('the content of a delivery stays, regardless of its webhook and of the delivery', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const { url, received } = await startEndpoint();
  const webhook = await expectData(token, 'POST', '/webhooks', 201, { url, events: ['lead.updated'] });
  const path = `/webhooks/${webhook.id}`;
  const lead = await createLead(token);
  const change = (phone: string) => expectData(token, 'PATCH', `/leads/${lead.id}`, 200, { phone });
  await change('1');
  await waitFor(() => received.length === 1);
  await expectData(token, 'PATCH', path, 200, { fold_seconds: 300 });
  const [delivery] = (await records(token, 'GET', `${path}/deliveries`)).body.data;
  expect(delivery.payload).toEqual(bodies(received)[0]);
  expect('folded' in delivery.payload).toBe(false);

  // The ids of combined events stay unsent when the delivery is too old and is deleted.
  await change('2');
  await change('3');
  await sql`update webhook_deliveries set created_at = now() - interval '100 days', status = 'delivered', next_at = null, fold_key = null, fold_until = null where endpoint_id = ${webhook.id}`;
  await sql`select app.drop_expired('webhook_deliveries')`;
  const replay = await expectData(token, 'POST', `${path}/replay`, 202, { since: '2026-01-01T00:00:00Z' });
  expect(replay.total).toBe(2);
  const sent = await sql`
    select e.data ->> 'phone' as phone, d.folded, d.changed from webhook_deliveries d
    join events e on e.tenant_id = d.tenant_id and e.id = d.event_id where d.tenant_id = ${tenantId} order by e.sequence`;
  expect(sent).toEqual([
    { phone: '1', folded: 1, changed: ['phone'] },
    { phone: '3', folded: 1, changed: ['phone'] },
  ]);
});

test('random bursts: each event is delivered once, or replaced by a later one of its record and type', async () => {
  const dice = createChance(SEED);
  const endpoint = await startEndpoint((response) =>
    response.writeHead(dice.below(6) === 0 ? 500 : 200).end(),
  );
  const { tenantId, id, lane } = await createFolding(endpoint.url, 300);
  const workers = await Promise.all(
    [1, 2].map(() => startDeliverer({ schedule: Array<number>(500).fill(3600), minSpanSeconds: 86_400 })),
  );
  const types = ['payout.paid', 'payout.failed'];
  const names = ['amount', 'fee', 'status'];
  const written: { record: string; type: string; amount: number; changed: string[] }[] = [];

  /** Some events of one record, created by one statement as a batch does, with a lock on the record. */
  const write = async () => {
    const record = `po_${dice.below(3)}`;
    const events = Array.from({ length: 1 + dice.below(3) }, () => ({
      record,
      type: types[dice.below(2)] ?? '',
      changed: names.filter(() => dice.below(2) === 0),
    }));
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${tenantId + record}, 0))`;
      const numbered = events.map((event) => ({ ...event, amount: written.push({ ...event, amount: 0 }) }));
      for (const { amount, ...event } of numbered) written[amount - 1] = { ...event, amount };
      await tx`
        insert into events (tenant_id, interface, type, changed, data)
        select ${tenantId}, 'payments', e.type, array(select jsonb_array_elements_text(e.changed) order by 1),
               jsonb_build_object('id', e.record, 'amount', e.amount)
        from jsonb_to_recordset(${JSON.stringify(numbered)}::text::jsonb) as e (record text, type text, changed jsonb, amount integer)
        order by e.amount`;
      await tx`
        update jobs set published_at = '2999-01-01'
        where id in (select id from jobs where lane = ${lane} and published_at is null for update skip locked)`;
    });
  };
  const deliver = async () => {
    await passTime(sql, id);
    const [job] = await sql`
      select j.id as "jobId", j.lane, j.key as id from jobs j where j.lane = ${lane} and j.finished_at is null limit 1`;
    if (job) await Promise.all(workers.map((worker) => worker.publish(job as unknown as EmittedDelivery)));
  };
  for (let round = 0; round < 12; round++) {
    await Promise.all([write(), write(), write(), write(), ...(dice.below(2) === 0 ? [deliver()] : [])]);
  }
  await waitFor(async () => {
    await deliver();
    const open = await sql`select from webhook_deliveries where endpoint_id = ${id} and status = 'pending'`;
    return open.length === 0;
  }, LONG);

  // Everything that was sent with one id is one delivery, however often it was attempted.
  const told = new Map(
    endpoint.received.map(({ headers, body }) => [String(headers['webhook-id']), JSON.parse(body)]),
  );
  expect(new Set(endpoint.received.map(({ body }) => body)).size).toBe(told.size);
  for (const record of ['po_0', 'po_1', 'po_2']) {
    for (const type of types) {
      const happened = written.filter((event) => event.record === record && event.type === type);
      const sent = [...told.values()]
        .filter((body) => body.data.id === record && body.type === type)
        .sort((a, b) => a.data.amount - b.data.amount);
      // In order, the deliveries divide the events into sections: each contains the last event of its section, and all its changes.
      let from = 0;
      const pieces = sent.map(({ folded }) => {
        const piece = happened.slice(from, from + folded);
        from += folded;
        return {
          amount: piece.at(-1)?.amount,
          changed: [...new Set(piece.flatMap(({ changed }) => changed))].sort(),
        };
      });
      expect(sent.map(({ data, changed }) => ({ amount: data.amount, changed }))).toEqual(pieces);
      expect(from).toBe(happened.length);
    }
  }
});
