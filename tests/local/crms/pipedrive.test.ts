// What Pipedrive documents, at its fake over HTTP.
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Pipedrive, startPipedrive } from '../../../local/crms/pipedrive/index.ts';
import type { Json } from '../../support/payments/vendor-receiver.ts';
import { clientOf, receiverFor } from './support.ts';

let pipedrive: Pipedrive;
let account: { id: string; domain: string; apiToken: string };
const call = clientOf(
  () => pipedrive.url,
  () => ({ 'x-api-token': account.apiToken }),
);
beforeAll(async () => {
  pipedrive = await startPipedrive();
});
beforeEach(async () => {
  account = await pipedrive.control.createAccount({ options: { burst: 1000 } });
});
afterAll(() => pipedrive.stop());

const deal = (values: Record<string, unknown> = {}) =>
  pipedrive.control.add(account.id, 'deals', { title: 'Plano anual', ...values });
const webhook = (url: string) => ({
  ...{ name: 'test', subscription_url: `${url}/hook`, event_action: '*', event_object: '*', version: '2.0' },
  ...{ http_auth_user: 'placar', http_auth_password: 'secret' },
});

test('another token is refused, and users/me names the company', async () => {
  const response = await fetch(`${pipedrive.url}/api/v2/deals`, { headers: { 'x-api-token': 'x' } });
  expect([response.status, await response.json()]).toMatchObject([401, { error: 'unauthorized access' }]);
  const { body } = await call('GET', '/api/v1/users/me');
  expect(body.data).toMatchObject({ company_id: Number(account.id), company_domain: account.domain });
});

describe('lists', () => {
  test('are paged by cursor in the order of the last change, without archived and deleted deals', async () => {
    const { control } = pipedrive;
    const ids = (
      await control.addMany(
        account.id,
        'deals',
        Array.from({ length: 7 }, () => ({ title: 'A' })),
      )
    ).map(({ id }) => id);
    const [archived = 0, deleted = 0, changed = 0] = ids;
    await control.advance({ seconds: 5 });
    await control.patch(account.id, 'deals', archived, { is_archived: true });
    await control.remove(account.id, 'deals', deleted);
    await control.patch(account.id, 'deals', changed, { title: 'B' });
    const seen: number[] = [];
    let cursor = '';
    do {
      const { body } = await call(
        'GET',
        `/api/v2/deals?limit=2&sort_by=update_time${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...body.data.map(({ id }: Json) => id));
      cursor = body.additional_data.next_cursor;
    } while (cursor);
    expect(seen).toEqual([...ids.slice(3), changed]);
    const { body } = await call('GET', '/api/v2/deals/archived');
    expect(body.data.map(({ id }: Json) => id)).toEqual([archived]);
  });

  test('filter by the time of the last change, which has whole seconds', async () => {
    await deal();
    await pipedrive.control.advance({ minutes: 1 });
    const since = (await pipedrive.control.now()).replace(/\.\d+/, '');
    const later = await deal();
    await pipedrive.control.advance({ seconds: 2 });
    const { body } = await call('GET', `/api/v2/deals?updated_since=${since}`);
    expect(body.data.map(({ id }: Json) => id)).toEqual([later.id]);
  });

  test.each([
    'limit=501',
    'limit=0',
    'status=deleted',
    'sort_by=title',
    'updated_since=2026-01-01T00:00:00.123Z',
    'page=2',
  ])('refuse %s', async (query) => {
    const { status, body } = await call('GET', `/api/v2/deals?${query}`);
    expect([status, body.success, body.code]).toEqual([400, false, 'ERR_SCHEMA_VALIDATION_FAILED']);
  });
});

describe('deals', () => {
  test('won and lost set their times, open clears them', async () => {
    const { id } = await deal();
    const patch = async (values: object) => (await call('PATCH', `/api/v2/deals/${id}`, values)).body.data;
    const won = await patch({ status: 'won' });
    expect(won).toMatchObject({ status: 'won', lost_time: null });
    expect(won.close_time).toBe(won.won_time);
    expect(await patch({ status: 'lost', lost_reason: 'Preço' })).toMatchObject({
      lost_reason: 'Preço',
      won_time: null,
    });
    expect(await patch({ status: 'open' })).toMatchObject({
      lost_reason: null,
      lost_time: null,
      close_time: null,
    });
  });

  test('a stage brings its pipeline', async () => {
    const { rows } = await pipedrive.control.account(account.id, 'rows');
    const other = await pipedrive.control.add(account.id, 'pipelines', { name: 'Renovações' });
    const stage = await pipedrive.control.add(account.id, 'stages', { name: 'Aviso', pipeline_id: other.id });
    const { id } = await deal({ stage_id: rows.stages[1]?.id });
    const { body } = await call('PATCH', `/api/v2/deals/${id}`, { stage_id: stage.id });
    expect(body.data).toMatchObject({ stage_id: stage.id, pipeline_id: other.id });
  });

  test.each([
    [{ value: '100' }],
    [{ status: 'deleted' }],
    [{ stage_id: 999_999 }],
    [{ person_id: 999_999 }],
    [{ lost_reason: 'Preço' }],
    [{ currency: 'real' }],
    [{ expected_close_date: '2026-02-30' }],
    [{ custom_fields: { unknown: 1 } }],
    [{ user_id: 1 }],
  ])('%j is refused and changes nothing', async (values) => {
    const { id } = await deal();
    const before = await pipedrive.control.record(account.id, 'deals', id);
    expect((await call('PATCH', `/api/v2/deals/${id}`, { title: 'Other', ...values })).status).toBe(400);
    expect(await pipedrive.control.record(account.id, 'deals', id)).toEqual(before);
  });

  test('custom fields are kept by key, options by id', async () => {
    const field = await pipedrive.control.addField(account.id, 'deals', { name: 'Região', type: 'enum' }, [
      'Sul',
      'Norte',
    ]);
    const { id } = await deal();
    const [south] = field.options;
    const set = (value: unknown) =>
      call('PATCH', `/api/v2/deals/${id}`, { custom_fields: { [field.key]: value } });
    expect((await set('Sul')).status).toBe(400);
    expect((await set(south?.id)).body.data.custom_fields).toEqual({ [field.key]: south?.id });
    const fields = await call('GET', '/api/v2/dealFields');
    expect(fields.body.data[0]).toMatchObject({ field_code: field.key, options: field.options });
  });

  test.each([
    ['marked', 200],
    ['gone', 404],
  ] as const)('deleted ones read as %s', async (deletedReads, status) => {
    await pipedrive.control.setOptions(account.id, { deletedReads });
    const { id } = await deal();
    expect((await call('DELETE', `/api/v2/deals/${id}`)).status).toBe(200);
    expect((await call('GET', `/api/v2/deals/${id}`)).status).toBe(status);
    expect((await call('PATCH', `/api/v2/deals/${id}`, { title: 'B' })).status).toBe(404);
  });
});

test('persons are found by e-mail without case, and a job title needs contact sync', async () => {
  const add = (name: string, ...emails: string[]) =>
    call('POST', '/api/v2/persons', { name, emails: emails.map((value) => ({ value })) });
  const { body } = await add('Ana Souza', 'ana@x.example', 'ana@y.example');
  await add('Bia', 'susana@x.example');
  expect(body.data.emails.map(({ primary }: Json) => primary)).toEqual([true, false]);
  const search = await call(
    'GET',
    '/api/v2/persons/search?term=ANA%40x.example&fields=email&exact_match=true',
  );
  expect(search.body.data.items.map(({ item }: Json) => item.id)).toEqual([body.data.id]);
  expect((await call('POST', '/api/v2/persons', {})).status).toBe(400);
  await pipedrive.control.setOptions(account.id, { contactSync: false });
  expect((await call('PATCH', `/api/v2/persons/${body.data.id}`, { job_title: 'Sócia' })).status).toBe(403);
});

test('an activity is done and undone', async () => {
  const { id } = await pipedrive.control.add(account.id, 'activities', { subject: 'Ligar', type: 'call' });
  await pipedrive.control.setDone(account.id, id, true);
  const done = await call('GET', '/api/v2/activities?done=true');
  expect(done.body.data).toMatchObject([
    { id, done: true, marked_as_done_time: expect.stringMatching(/Z$/) },
  ]);
  await pipedrive.control.setDone(account.id, id, false);
  expect((await call('GET', '/api/v2/activities?done=true')).body.data).toEqual([]);
});

describe('limits', () => {
  test('the burst limit counts 2 s, and searches have their own', async () => {
    await pipedrive.control.setFrozen(true);
    onTestFinished(() => pipedrive.control.setFrozen(false));
    await pipedrive.control.setOptions(account.id, { burst: 12 });
    const search = () => call('GET', '/api/v2/persons/search?term=ana&fields=email&exact_match=true');
    const statuses = [];
    for (let index = 0; index < 11; index++) statuses.push((await search()).status);
    expect(statuses).toEqual([...Array(10).fill(200), 429]);
    expect((await call('GET', '/api/v2/stages')).status).toBe(200);
    expect((await call('GET', '/api/v2/stages')).status).toBe(200);
    const refused = await call('GET', '/api/v2/stages');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null]);
    await pipedrive.control.advance({ seconds: 2 });
    expect((await search()).status).toBe(200);
  });

  test('the budget of the day is counted in tokens and ends at midnight', async () => {
    await pipedrive.control.setOptions(account.id, { daily: 25 });
    const { headers } = await call('GET', '/api/v2/deals');
    expect(headers.get('x-daily-ratelimit-token-remaining')).toBe('15');
    await call('POST', '/api/v2/deals', { title: 'A' });
    await pipedrive.control.useBudget(account.id);
    const refused = await call('GET', '/api/v2/deals');
    expect([refused.status, refused.headers.get('x-daily-ratelimit-token-remaining')]).toEqual([429, '0']);
    await pipedrive.control.advance({ days: 1 });
    expect((await call('GET', '/api/v2/deals')).status).toBe(200);
  });
});

describe('webhooks', () => {
  test('need a name, and can be deleted', async () => {
    const { name: _, ...unnamed } = webhook('http://127.0.0.1:9');
    expect((await call('POST', '/api/v1/webhooks', unnamed)).status).toBe(400);
    expect((await call('POST', '/api/v1/webhooks', webhook('http://127.0.0.1:9'))).status).toBe(201);
    const { body } = await call('GET', '/api/v1/webhooks');
    expect((await call('DELETE', `/api/v1/webhooks/${body.data[0].id}`)).status).toBe(200);
    expect((await call('DELETE', `/api/v1/webhooks/${body.data[0].id}`)).status).toBe(404);
    await pipedrive.control.dropWebhooks(account.id);
    expect((await call('GET', '/api/v1/webhooks')).body.data).toEqual([]);
  });

  test('tell of changes with Basic auth', async () => {
    const receiver = await receiverFor(onTestFinished);
    await call('POST', '/api/v1/webhooks', webhook(receiver.url));
    const { id } = await deal();
    await call('PATCH', `/api/v2/deals/${id}`, { title: 'B' });
    await call('PATCH', `/api/v2/deals/${id}`, { title: 'B' });
    await pipedrive.control.settle();
    const events = receiver.received.filter(({ body }) => body.meta.entity === 'deal');
    expect(events.map(({ body }) => body.meta.action)).toEqual(['create', 'change']);
    expect(events[1]?.body).toMatchObject({
      data: { id, title: 'B' },
      meta: { entity_id: String(id), version: '2.0' },
    });
    const basic = Buffer.from('placar:secret').toString('base64');
    expect(events[0]?.headers.authorization).toBe(`Basic ${basic}`);
  });

  test('a merge is a deletion with merged_to_id, then a change', async () => {
    const receiver = await receiverFor(onTestFinished);
    const person = (value: string) =>
      pipedrive.control.add(account.id, 'persons', { name: 'Ana', emails: [{ value }] });
    const [winner, loser] = [await person('a@x.example'), await person('b@x.example')];
    const { id } = await deal({ person_id: loser.id });
    await call('POST', '/api/v1/webhooks', webhook(receiver.url));
    await pipedrive.control.merge(account.id, 'persons', winner.id, loser.id);
    await pipedrive.control.settle();
    const byId = receiver.received.map(({ body: { meta } }) => [
      meta.action,
      meta.entity_id,
      meta.merged_to_id,
    ]);
    expect(byId.sort()).toEqual([
      ['change', String(winner.id), undefined],
      ['delete', String(loser.id), String(winner.id)],
    ]);
    expect((await call('GET', `/api/v2/deals/${id}`)).body.data.person_id).toBe(winner.id);
  });

  test('are retried three times, then given up', async () => {
    const receiver = await receiverFor(onTestFinished);
    receiver.answer = () => ({ status: 500 });
    await call('POST', '/api/v1/webhooks', webhook(receiver.url));
    await deal();
    await pipedrive.control.advance({ minutes: 10 });
    expect(receiver.received).toHaveLength(4);
    expect(await pipedrive.control.deliveries({ account: account.id })).toMatchObject([{ state: 'dropped' }]);
  });

  test('can be lost', async () => {
    const receiver = await receiverFor(onTestFinished);
    await call('POST', '/api/v1/webhooks', webhook(receiver.url));
    await pipedrive.control.webhookFault({ kind: 'lost', account: account.id });
    await deal();
    await deal({ title: 'B' });
    await pipedrive.control.settle();
    expect(receiver.received.map(({ body }) => body.data.title)).toEqual(['B']);
  });
});
