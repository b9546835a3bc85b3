// The TypeScript client against the running stack.

import { describe, expect, inject, test } from 'vitest';
import type { ActivityResult } from '../../../clients/typescript/src/activity-sync.ts';
import {
  BatchRejectedError,
  ConflictError,
  etagOf,
  type LeadOperation,
  NotFoundError,
  OptionsError,
  PreconditionFailedError,
  type Progress,
  SyncError,
  ValidationError,
} from '../../../clients/typescript/src/index.ts';
import { connect, createCredentials, newInvoice, newPayout } from '../../support/clients/client.ts';
import { connectDatabase } from '../../support/database.ts';
import { addGamification } from '../../support/gamification/gamification-shown.ts';
import { activity, collaborator } from '../../support/gamification/sync.ts';
import { TAX_CODES } from '../../support/payments/payments.ts';
import { startFaultProxy } from '../../support/wire/fault-proxy.ts';

const sql = connectDatabase();

describe('activity sync', () => {
  test('any number of items: batches of 1000, at most four at a time, results in list order', async () => {
    const proxy = await startFaultProxy(inject('stack').base_url);
    const placar = connect(await createCredentials(sql), { url: proxy.url });
    expect(await placar.collaborators.sync([collaborator('ana')])).toMatchObject({ created: 1, total: 1 });
    const activities = Array.from({ length: 5300 }, (_, index) =>
      activity(`a-${index}`, index % 1000 === 7 ? 'nobody@example.com' : 'ana@example.com'),
    );
    const progress: Progress<ActivityResult>[] = [];
    const result = await placar.activities.sync(activities, { onProgress: (step) => progress.push(step) });
    expect(result).toMatchObject({ processed: 5294, skipped: 6, duplicates: 0, errors: [], total: 5300 });
    expect(result.skipped_items.map(({ index }) => index)).toEqual([7, 1007, 2007, 3007, 4007, 5007]);
    expect(result.skipped_items[3]?.external_id).toBe('a-3007');
    const batches = proxy.seen.slice(1).map(({ body }) => JSON.parse(body).activities.length);
    expect(batches.sort()).toEqual([1000, 1000, 1000, 1000, 1000, 300]);
    expect(progress.at(-1)).toMatchObject({ done: 5300, total: 5300 });

    async function* again() {
      yield* activities;
    }
    expect(await placar.activities.sync(again())).toMatchObject({
      processed: 0,
      duplicates: 5294,
      skipped: 6,
    });
    expect(await placar.activities.sync([])).toMatchObject({ total: 0 });
  });

  test('splits a batch that would exceed the size of a request', async () => {
    const proxy = await startFaultProxy(inject('stack').base_url);
    const placar = connect(await createCredentials(sql), { url: proxy.url });
    const data = { text: 'é'.repeat(8000) };
    const items = Array.from({ length: 450 }, (_, index) =>
      activity(`big-${index}`, 'x@example.com', { data }),
    );
    expect(await placar.activities.sync(items)).toMatchObject({ skipped: 450, total: 450 });
    expect(proxy.seen.length).toBe(2);
  });

  test('reports invalid items by their position in the list, without delaying other batches', async () => {
    const placar = connect(await createCredentials(sql));
    await placar.collaborators.sync([collaborator('ana')]);
    const activities = Array.from({ length: 2500 }, (_, index) =>
      activity(`a-${index}`, 'ana@example.com', index === 1234 ? { activity_code: '1' } : {}),
    );
    const error = await placar.activities.sync(activities).catch((failure) => failure);
    expect(error).toBeInstanceOf(SyncError);
    expect(error).toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: [{ index: 1234, field: 'activity_code' }],
      result: { processed: 1500, total: 1500 },
      unsent: [{ start: 1000, count: 1000 }],
      message:
        'Items 1000 to 1999 were rejected. 1 of 1000 activities are invalid. No activities were recorded. ' +
        '([1234].activity_code: must be exactly 3 digits, 001 through 999)',
    });
    const single = placar.activities.sync([activity('a', 'ana@example.com', { activity_code: '1' })]);
    await expect(single).rejects.toThrow(/^Item 0 was rejected\. 1 of 1 activities are invalid\./);
  });

  test('of two items with one email the later one wins, in whichever batches they are', async () => {
    const { tenantId, ...credentials } = await createCredentials(sql);
    const people = Array.from({ length: 1200 }, (_, index) => collaborator(`p${index}`));
    const named = (name: string) => ({ ...collaborator('eva'), name });
    people.splice(0, 1, named('first'));
    people.splice(600, 1, named('second'));
    people.push(named('third'));
    const result = await connect(credentials).collaborators.sync(people);
    expect(result).toMatchObject({ created: 1199, existing: 2, total: 1201 });
    const [row] = await sql`
      select name from public.collaborators where tenant_id = ${tenantId} and email = 'eva@example.com'`;
    expect(row?.name).toBe('third');
  });
});

describe('payments', () => {
  test('invoices, tax documents, payouts and the ledger', async () => {
    const placar = connect(await createCredentials(sql));
    const made = await placar.invoices.create(newInvoice());
    expect(made).toMatchObject({ status: 'open', amount: 10000 });
    expect(await placar.invoices.get(made.id)).toMatchObject({ id: made.id });
    expect(await placar.invoices.payInSandbox(made.id)).toMatchObject({ status: 'paid' });
    const other = await placar.invoices.create(newInvoice());
    expect(await placar.invoices.cancel(other.id)).toMatchObject({ status: 'canceled' });
    await expect(placar.invoices.cancel(made.id)).rejects.toThrow(ConflictError);
    const document = await placar.invoices.requestTaxDocument(made.id, {
      type: 'nfse',
      service_code: '1.01',
      taxes: TAX_CODES,
    } as never);
    expect(await placar.invoices.getTaxDocument(made.id, document.id)).toMatchObject({ id: document.id });
    const payout = await placar.payouts.create(newPayout());
    expect(await placar.payouts.list().toArray()).toMatchObject([{ id: payout.id }]);
    const entries = await placar.balanceTransactions.list({ source: made.id }).toArray();
    expect(entries).toMatchObject([{ type: 'charge', amount: 10000 }]);
    expect(await placar.balanceTransactions.get(entries[0]?.id ?? '')).toEqual(entries[0]);
    expect((await placar.balance()).data).toMatchObject([{ currency: 'BRL' }]);
  });

  test('a list fetches its pages automatically in both directions', async () => {
    const placar = connect(await createCredentials(sql));
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.unshift((await placar.invoices.create(newInvoice())).id);
    const listed = await placar.invoices.list({ limit: 2 }).toArray();
    expect(listed.map(({ id }) => id)).toEqual(ids);
    const [last = ''] = ids.slice(-1);
    const newer = await placar.invoices.list({ limit: 2, ending_before: last }).toArray();
    expect(newer.map(({ id }) => id).sort()).toEqual(ids.slice(0, -1).sort());
    expect(await placar.invoices.list({ 'created[gte]': '2999-01-01' }).toArray()).toEqual([]);
  });
});

describe('records', () => {
  test('leads: creates, updates, lists over pages, converts, deletes', async () => {
    const placar = connect(await createCredentials(sql));
    for (const name of ['Ana', 'Bia', 'Caio', 'Davi', 'Eva']) {
      await placar.leads.create({ name, email: `${name}@shop.example` }, { origin: 'crm' });
    }
    const names: string[] = [];
    for await (const lead of placar.leads.list({ status: 'new', sort: 'name', per_page: 2 }))
      names.push(lead.name);
    expect(names).toEqual(['Ana', 'Bia', 'Caio', 'Davi', 'Eva']);
    expect(await placar.leads.list({ search: 'nobody' }).toArray()).toEqual([]);
    const [lead] = await placar.leads.list({ sort: '-name' }).toArray(1);
    const id = lead?.id ?? '';
    expect(await placar.leads.update(id, { company: 'Eva Ltd' })).toMatchObject({ company: 'Eva Ltd' });
    expect((await placar.leads.convert(id, { deal_value: 10 })).deal).toMatchObject({ value: 10 });
    await expect(placar.leads.create({ name: 'Eva', email: 'eva@shop.example' })).rejects.toMatchObject({
      existingId: id,
    });
    const [other, winner] = await placar.leads.list({ sort: 'name' }).toArray(2);
    await placar.leads.merge(winner?.id ?? '', other?.id ?? '');
    await expect(placar.leads.get(other?.id ?? '')).rejects.toMatchObject({ mergedInto: winner?.id });
    await placar.leads.delete(id);
    await expect(placar.leads.get(id)).rejects.toThrow(NotFoundError);
    await expect(placar.leads.create({ name: 'x', email: 'no' })).rejects.toThrow(ValidationError);
  });

  test('the admin API: a mission is created, changed in its version, and found in lists and the audit trail', async () => {
    const { admin } = connect(await createCredentials(sql));
    const options = { onBehalfOf: 'ana@example.com' };
    const made = await admin.request('POST', '/missions', { name: 'Demo given', points: 50 }, options);
    await admin.request('PATCH', '/missions/demo%20given', { points: 60 }, { ifMatch: etagOf(made) });
    const late = admin.request('DELETE', '/missions/demo%20given', undefined, { ifMatch: etagOf(made) });
    await expect(late).rejects.toMatchObject({ status: 412, current: { points: 60 } });
    await admin.request('POST', 'missions', { name: 'Call', points: 5 });
    const names = (await admin.list('/missions', { per_page: 1, sort: 'name' }).toArray()).map(
      ({ name }) => name,
    );
    expect(names).toEqual(['Call', 'Demo given']);
    const changes = await admin.list('/changes', { limit: 1, act: 'mission.*' }).toArray();
    expect(changes.map(({ act, on_behalf_of: person }) => [act, person])).toEqual([
      ['mission.created', null],
      ['mission.updated', null],
      ['mission.created', 'ana@example.com'],
    ]);
    expect((await admin.list('/plans').toArray()).length).toBeGreaterThan(2);
    expect(await admin.request('DELETE', '/missions/call')).toBeUndefined();
  });

  test('splits batches of large or wide operations so that requests accept them', async () => {
    const proxy = await startFaultProxy(inject('stack').base_url);
    const placar = connect(await createCredentials(sql), { url: proxy.url });
    const lead = (nth: number, fields: Record<string, unknown>): LeadOperation => ({
      method: 'create',
      data: { name: 'Ana', email: `${nth}@batch.example`, custom_fields: fields },
    });
    const wide = Object.fromEntries(Array.from({ length: 110 }, (_, n) => [`c${n}`, n]));
    const large: Record<string, unknown> = { note: 'x'.repeat(15_000) };
    // Two requests by their number: the members of the wide ones need another, and the characters of the large ones.
    const operations = Array.from({ length: 560 }, (_, nth) => lead(nth, nth < 420 ? wide : large));
    const results = await placar.leads.batch(operations);
    expect(results.filter(({ status }) => status === 201)).toHaveLength(560);
    expect(proxy.to('/functions/v1/v1/leads/batch').length).toBeGreaterThan(2);
  });

  test('batches: any number of operations, and all or none if requested', async () => {
    const proxy = await startFaultProxy(inject('stack').base_url);
    const placar = connect(await createCredentials(sql), { url: proxy.url });
    const lead = (nth: number) => ({ name: 'Ana', email: `${nth}@batch.example`, external_id: `crm-${nth}` });
    const operations: LeadOperation[] = Array.from({ length: 1100 }, (_, nth) => ({
      method: 'create',
      data: lead(nth % 1099),
    }));
    const results = await placar.leads.batch(operations);
    expect(results).toHaveLength(1100);
    const [first] = results;
    if (first?.status !== 201) throw new Error('the first was not made');
    expect(results.filter(({ status }) => status !== 201)).toMatchObject([
      { status: 409, error: { code: 'CONFLICT', existing_id: first.data.id } },
    ]);
    const sent = proxy.to('/functions/v1/v1/leads/batch');
    expect(sent.map(({ body }) => JSON.parse(body).operations.length)).toEqual([500, 500, 100]);
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(3);
    const atomic = placar.leads.batch(
      [
        { method: 'update', external_id: 'crm-1', data: { name: 'Bia' } },
        { method: 'delete', external_id: 'nobody' },
      ],
      { atomic: true },
    );
    const error = await atomic.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BatchRejectedError);
    expect(error).toMatchObject({
      results: [{ status: 424 }, { status: 404, error: { code: 'NOT_FOUND' } }],
    });
    expect(await placar.leads.getByExternalId('crm-1')).toMatchObject({ name: 'Ana' });
  });

  test('if_match protects a change, and if_none_match a PUT', async () => {
    const placar = connect(await createCredentials(sql));
    const made = await placar.leads.put('c/1', { name: 'Ana', email: 'ana@shop.example' });
    const read = await placar.leads.getByExternalId('c/1');
    expect(etagOf(made)).toMatch(/^".+"$/);
    const changed = await placar.leads.update(made.id, { phone: '1' }, { ifMatch: etagOf(read) });
    const late = placar.leads.update(made.id, { phone: '2' }, { ifMatch: etagOf(made) });
    await expect(late).rejects.toThrow(PreconditionFailedError);
    await expect(late).rejects.toMatchObject({ current: { phone: '1' }, etag: etagOf(changed) });
    const again = placar.leads.put('c/1', { name: 'Bia' }, { ifNoneMatch: '*' });
    await expect(again).rejects.toThrow(PreconditionFailedError);
    const [listed = {}] = await placar.leads.list().toArray();
    expect(() => etagOf(listed)).toThrow(OptionsError);
  });

  test('missions, standings, seasons, badges, challenges and points', async () => {
    const { tenantId, ...credentials } = await createCredentials(sql);
    const placar = connect(credentials);
    const user = await placar.users.create({ name: 'Ana', email: 'ana@shop.example', role: 'sales_rep' });
    await placar.users.create({ name: 'Bia', email: 'bia@shop.example', role: 'sales_rep' });
    await addGamification(sql, tenantId, user.id);
    const [season] = await placar.seasons.list().toArray();
    const lines = [
      { position: 1, name: 'Ana', points: 15 },
      { position: 2, name: 'Bia', points: 0 },
    ];
    expect(await placar.standings.list({ season: season?.id ?? '', per_page: 1 }).toArray()).toMatchObject(
      lines,
    );
    expect(await placar.standings.around(user.id, { per_page: 1 })).toMatchObject([{ user_id: user.id }]);
    expect(await placar.missions.list({ user_id: user.id }).toArray()).toMatchObject([{ completions: 1 }]);
    expect(await placar.badges.list().toArray()).toMatchObject([{ earned_by: 1 }]);
    expect(await placar.challenges.list({ user_id: user.id }).toArray()).toMatchObject([
      { progress: [{ value: 15, completed_at: null }] },
    ]);
    expect(await placar.users.listPoints(user.id, { per_page: 1 }).toArray()).toMatchObject([
      { points: 5, reason: 'adjustment' },
      { points: 10, reason: 'mission_completed' },
    ]);
    expect(await placar.users.listBadges(user.id).toArray()).toMatchObject([{ name: 'First points' }]);
  });

  test('deals, stages, activities, users, teams, webhooks', async () => {
    const placar = connect(await createCredentials(sql));
    const [first, second] = await placar.stages.list();
    const deal = await placar.deals.create({ name: 'Fleet', value: 5 });
    expect(deal.stage.id).toBe(first?.id);
    expect(await placar.deals.move(deal.id, { stage_id: second?.id ?? '' })).toMatchObject({
      stage: { id: second?.id },
    });
    await placar.deals.createActivity(deal.id, { type: 'note', title: 'Called' });
    expect(await placar.deals.listActivities(deal.id).toArray()).toHaveLength(1);
    expect(await placar.deals.close(deal.id, { result: 'won' })).toMatchObject({ status: 'won' });
    const user = await placar.users.create({
      name: 'Rui',
      email: `rui-${deal.id}@x.example`,
      role: 'sales_rep',
    });
    const team = await placar.teams.create({ name: 'North' });
    await placar.teams.addMember(team.id, { user_id: user.id });
    expect(await placar.teams.listMembers(team.id).toArray()).toMatchObject([{ id: user.id }]);
    expect(await placar.users.stats(user.id, { period: 'month' })).toMatchObject({ user_id: user.id });
    await placar.teams.removeMember(team.id, user.id);
    await placar.users.delete(user.id, { permanent: true });
    await expect(placar.users.get(user.id)).rejects.toThrow(NotFoundError);
    const webhook = await placar.webhooks.create({
      url: `${inject('stack').inbox_url}/client`,
      events: ['lead.created'],
      secret: 'generate',
    });
    expect(webhook.secret).toMatch(/^whsec_/);
    await placar.webhooks.test(webhook.id);
    expect(await placar.webhooks.listDeliveries(webhook.id).toArray()).toHaveLength(1);
  });

  test.each(['b', 'c'] as const)('variant %s: its names and its list envelope', async (variant) => {
    const placar = connect(await createCredentials(sql), { variant });
    for (const name of ['one', 'two', 'three'])
      await placar.leads.create({ name, email: `${name}@x.example` });
    const leads = await placar.leads.list({ per_page: 1, sort: 'name' }).toArray();
    expect(leads.map(({ name }) => name)).toEqual(['one', 'three', 'two']);
    expect(leads[0]).toHaveProperty('assigned_to');
    expect(leads[0]).not.toHaveProperty('owner_id');
  });
});

describe('events', () => {
  test('are read to the end, from a cursor, and followed as they happen', async () => {
    const placar = connect(await createCredentials(sql));
    const { nextCursor } = await placar.events.page({ after: 'now' });
    const names = ['Ana', 'Bia', 'Caio'];
    const add = (name: string) => placar.leads.create({ name, email: `${crypto.randomUUID()}@example.com` });
    for (const name of names) await add(name);
    const seen = await placar.events.list({ after: nextCursor, limit: 1 }).toArray();
    expect(seen.map(({ type, data }) => [type, 'name' in data && data.name])).toEqual(
      names.map((name) => ['lead.created', name]),
    );
    const following = placar.events.follow({ after: seen[1]?.cursor ?? '' });
    expect((await following.next()).value.id).toBe(seen[2]?.id);
    const next = following.next();
    await add('Davi');
    expect((await next).value.data).toMatchObject({ name: 'Davi' });
    const refused = placar.events.page({ after: 'nonsense' });
    await expect(refused).rejects.toThrow(ValidationError);
  });

  test('of payments have a separate feed', async () => {
    const placar = connect(await createCredentials(sql));
    const { id } = await placar.invoices.create(newInvoice());
    await placar.invoices.payInSandbox(id);
    const [paid] = await placar.paymentEvents.list({ types: 'invoice.paid' }).toArray();
    expect(paid).toMatchObject({ type: 'invoice.paid', data: { id } });
    expect(await placar.events.list({ types: 'lead.created' }).toArray()).toEqual([]);
  });
});
