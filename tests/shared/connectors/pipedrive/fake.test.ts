// The adapter at the fake of Pipedrive, which rejects what Pipedrive's documents do not allow.

import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Pipedrive, startPipedrive } from '../../../../local/crms/pipedrive/index.ts';
import { findCreated } from '../../../../shared/connectors/crms/created.ts';
import type { CrmConnection } from '../../../../shared/connectors/crms/crm.ts';
import {
  CrmBusy,
  CrmCredentialsRejected,
  CrmRecordGone,
  CrmRejected,
} from '../../../../shared/connectors/crms/errors.ts';
import { pipedriveCrm } from '../../../../shared/connectors/crms/pipedrive/adapter.ts';
import { parseJson } from '../../../../shared/platform/vendor-json.ts';
import { startReceiver } from '../../../support/payments/vendor-receiver.ts';
import { connectTo } from './vendor.ts';

let pipedrive: Pipedrive;
let account: { id: string; domain: string; apiToken: string };
let crm: CrmConnection;
const keys = { lead: [] as string[], deal: [] as string[] };

beforeAll(async () => {
  pipedrive = await startPipedrive();
});
afterAll(() => pipedrive.stop());
beforeEach(async () => {
  account = await pipedrive.control.createAccount({ options: { burst: 1000 } });
  Object.assign(keys, { lead: [], deal: [] });
  crm = await connectTo(pipedrive.url, {
    credentials: { domain: account.domain, api_token: account.apiToken },
    customKeys: keys,
    activityTypes: ['call'],
  });
});

test('inspection', async () => {
  const found = await crm.inspect();
  expect(found).toMatchObject({ vendorId: account.id, users: [{ email: 'admin@crm.example' }] });
  expect(found.stages.map(({ name, pipelineName }) => [name, pipelineName])).toContainEqual([
    'Negociação',
    'Funil de vendas',
  ]);
});

test('a deal and a person are created, changed and found', async () => {
  const region = await pipedrive.control.addField(account.id, 'deals', { name: 'Região', type: 'enum' }, [
    'Sul',
    'Norte',
  ]);
  const tags = await pipedrive.control.addField(account.id, 'persons', { name: 'Tags', type: 'set' }, [
    'VIP',
    'EU',
  ]);
  const budget = await pipedrive.control.addField(account.id, 'deals', {
    name: 'Orçamento',
    type: 'monetary',
  });
  keys.deal.push(region.key, budget.key);
  keys.lead.push(tags.key);
  const since = await pipedrive.control.now();
  const values = { name: 'Ana', email: 'ana@acme.example', phone: '1', position: 'CEO' };
  const lead = await crm.create('lead', { ...values, custom: { [tags.key]: ['VIP', 'EU'] } });
  expect(lead.values).toMatchObject({ ...values, custom: { [tags.key]: ['VIP', 'EU'] } });
  const deal = await crm.create('deal', {
    name: 'Plano',
    value: 10.5,
    currency: 'BRL',
    contact: lead.id,
    custom: { [region.key]: 'Sul', [budget.key]: 5 },
  });
  expect(deal.values).toMatchObject({
    name: 'Plano',
    contact: lead.id,
    custom: { [region.key]: 'Sul', [budget.key]: 5 },
  });
  expect(await findCreated(crm, 'lead', { email: 'ana@acme.example' }, since)).toEqual([lead.id]);
  expect(await findCreated(crm, 'deal', { name: 'Plano', value: 10.5 }, since)).toEqual([deal.id]);

  const lost = await crm.update('deal', deal.id, {
    status: 'lost',
    lossReason: 'Preço',
    custom: { [budget.key]: 6 },
  });
  expect(lost).toMatchObject({
    values: { status: 'lost', lossReason: 'Preço', custom: { [budget.key]: 6 } },
  });
  expect(lost.closedAt).not.toBeNull();
  const open = await crm.update('deal', deal.id, { status: 'open', lossReason: null, value: null });
  expect(open).toMatchObject({ closedAt: null, values: { status: 'open', lossReason: null, value: 0 } });
  const cleared = await crm.update('lead', lead.id, {
    email: 'new@acme.example',
    phone: null,
    custom: { [tags.key]: [] },
  });
  expect(cleared.values).toMatchObject({
    email: 'new@acme.example',
    phone: null,
    custom: { [tags.key]: null },
  });
});

test('lists and reads leave deleted records out', async () => {
  const ids = await pipedrive.control.addMany(
    account.id,
    'deals',
    Array.from({ length: 700 }, (_, at) => ({ title: `D${at}` })),
  );
  const [gone = 0, ...rest] = ids.map(({ id }) => id);
  await pipedrive.control.remove(account.id, 'deals', gone);
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<CrmConnection['list']>> = await crm.list('deal', { since: null, cursor });
    found.push(...page.records.map(({ id }) => id));
    cursor = page.next;
  } while (cursor !== null);
  expect(found.toSorted()).toEqual(rest.map(String).toSorted());
  expect(await crm.read('deal', [String(gone)])).toEqual([]);
  await pipedrive.control.setOptions(account.id, { deletedReads: 'gone' });
  expect(await crm.read('deal', [String(gone), String(rest[0])])).toHaveLength(1);
  await expect(crm.update('deal', String(gone), { name: 'x' })).rejects.toBeInstanceOf(CrmRecordGone);
});

test('an activity that is done', async () => {
  const { id } = await pipedrive.control.add(account.id, 'activities', {
    subject: 'Call',
    type: 'call',
    done: true,
  });
  const { records } = await crm.list('activity', { since: null, cursor: null });
  expect(records).toMatchObject([{ id: String(id), type: 'call', isDone: true, doneAt: expect.any(String) }]);
});

test('webhooks are proved, and tell changes and merges', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const secret = 'S'.repeat(43);
  const order = { url: `${receiver.url}/hook`, secret, reference: null };
  const report = await crm.ensureWebhooks(order);
  expect(await crm.ensureWebhooks({ ...order, reference: report.reference })).toEqual(report);
  const people = await pipedrive.control.addMany(account.id, 'persons', [{ name: 'Ana' }, { name: 'Ana B' }]);
  const [winner = 0, loser = 0] = people.map(({ id }) => id);
  await pipedrive.control.merge(account.id, 'persons', winner, loser);
  await pipedrive.control.settle();
  const about: unknown[] = [];
  for (const { headers, raw } of receiver.received) {
    const delivery = {
      headers: new Headers({ authorization: headers.authorization ?? '' }),
      body: new TextEncoder().encode(raw),
    };
    const proof = { ...delivery, url: order.url, credentials: {}, nowMs: Date.now() };
    expect(await pipedriveCrm.isGenuine({ ...proof, secret })).toBe(true);
    expect(await pipedriveCrm.isGenuine({ ...proof, secret: 'T'.repeat(43) })).toBe(false);
    about.push(
      ...pipedriveCrm
        .readHints(parseJson(new TextDecoder().decode(delivery.body)))
        .map((hint) => [hint.type, hint.about]),
    );
  }
  expect(about).toContainEqual([
    'delete.person',
    { kind: 'lead', id: String(winner), merged: { losers: [String(loser)] } },
  ]);
  await pipedrive.control.dropWebhooks(account.id);
  expect((await crm.ensureWebhooks({ ...order, reference: report.reference })).reference).not.toBe(
    report.reference,
  );
  await crm.removeWebhooks({ ...order, reference: report.reference });
});

test('a job title without contact sync is rejected, another token too', async () => {
  await pipedrive.control.setOptions(account.id, { contactSync: false });
  const lead = await crm.create('lead', { name: 'Ana' });
  await expect(crm.update('lead', lead.id, { position: 'CEO' })).rejects.toBeInstanceOf(CrmRejected);
  await pipedrive.control.replaceToken(account.id);
  await expect(crm.read('lead', [lead.id])).rejects.toBeInstanceOf(CrmCredentialsRejected);
});

test('the limits: too many requests at once, and the daily budget', async () => {
  await pipedrive.control.setOptions(account.id, { burst: 2 });
  const list = () => crm.list('lead', { since: null, cursor: null });
  const errors = await Promise.allSettled([list(), list(), list()]);
  expect(errors.filter(({ status }) => status === 'rejected')).toMatchObject([
    { reason: { name: 'CrmBusy', retryAfterSeconds: undefined } },
  ]);
  await pipedrive.control.setOptions(account.id, { burst: 1000 });
  await pipedrive.control.useBudget(account.id);
  const error = await list().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CrmBusy);
  expect(error).toMatchObject({ retryAfterSeconds: expect.any(Number) });
});
