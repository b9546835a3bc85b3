// The checks of `npm run check:crm`, with the adapters and the fakes of CRMs over HTTP.
import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CrmConnection } from '../../../shared/connectors/crms/crm.ts';
import { connectSubject, type SubjectOptions } from '../../conformance/crms/connect-subject.ts';
import { startReceiver } from '../../conformance/crms/receiver.ts';
import { checkCrm, type Report } from '../../conformance/crms/run.ts';
import type { Subject } from '../../conformance/crms/subject.ts';
import {
  type CheckedAccount,
  type CheckedCrm,
  checkedHubspot,
  checkedPipedrive,
  checkedRdStation,
} from '../../support/crms/checked-accounts.ts';

const never = new AbortController().signal;

interface Bench {
  fake: CheckedCrm;
  account: CheckedAccount;
  subject: Subject;
}

/** A new account at a fake of its own, whose time passes without waits. */
async function prepare(
  start: () => Promise<CheckedCrm>,
  changes: Partial<SubjectOptions> = {},
): Promise<Bench> {
  const fake = await start();
  onTestFinished(() => fake.stop());
  const account = await fake.createAccount();
  const later = async (ms: number) => void (await fake.control.advance({ ms }));
  const subject = await connectSubject(account.definition, { ...account.options, later, ...changes });
  // The API of RD Station CRM deletes nothing: a person does.
  if (subject.name === 'rd_station')
    subject.tools.remove = async (kind, id) => void (await account.remove(kind, id).catch(() => {}));
  return { fake, account, subject };
}

async function receive() {
  const receiver = await startReceiver(0);
  onTestFinished(() => receiver.close());
  return { callbackUrl: receiver.url, received: receiver.received };
}

const namesOf = ({ results }: Report, wanted: string) =>
  results.filter(({ outcome }) => outcome === wanted).map(({ name }) => name);
const differing = ({ results, facts }: Report) =>
  [...results, ...facts].filter(({ outcome }) => outcome === 'differs');

test('Pipedrive: all checks pass, webhooks arrive, and nothing is left', async () => {
  const { account, subject } = await prepare(checkedPipedrive, await receive());
  const report = await checkCrm(subject, never);
  expect([differing(report), namesOf(report, 'could not be tried')]).toEqual([[], []]);
  expect(await account.count()).toBe(0);
});

test('RD Station CRM: all checks pass, webhooks arrive, and nothing is left', async () => {
  const { account, subject } = await prepare(checkedRdStation, await receive());
  const report = await checkCrm(subject, never);
  expect([differing(report), namesOf(report, 'could not be tried')]).toEqual([[], []]);
  expect(report.facts).toContainEqual({
    assumed: 'Bodies of webhooks have `event_name` or `event_type`, and the record in `document` or `data`',
    outcome: 'ok',
    seen: expect.stringContaining('document, event_name'),
  });
  expect(await account.count()).toBe(0);
});

test('HubSpot: all checks pass, webhooks that a person set up arrive, and nothing is left', async () => {
  const { fake, account, subject } = await prepare(checkedHubspot, await receive());
  const byHand = [
    'webhooks are made once, and made again if they vanish',
    'webhooks are removed; those that are gone are no error',
  ];
  const before = await checkCrm(subject, never);
  expect([differing(before), namesOf(before, 'could not be tried')]).toEqual([
    [],
    [byHand[0], 'a webhook arrives, is proved, and names the record', byHand[1]],
  ]);
  await fake.setUpWebhooks?.(account.id, before.webhookSetup ?? '');
  const after = await checkCrm(subject, never);
  expect([differing(after), namesOf(after, 'could not be tried')]).toEqual([[], byHand]);
  expect(await account.count()).toBe(0);
});

describe.each([
  ['Pipedrive', checkedPipedrive],
  ['RD Station CRM', checkedRdStation],
  ['HubSpot', checkedHubspot],
])('%s: nothing is left', (_, start) => {
  test('of a deal whose creation had no response', async () => {
    const { fake, account, subject } = await prepare(start);
    await fake.control.fault({ kind: 'cut_after', method: 'POST', path: '*/deals' });
    const report = await checkCrm(subject, never);
    expect(report.left).toEqual({ byHand: [], failed: [] });
    expect(namesOf(report, 'differs')).toEqual([
      'a deal is created with its contact, stage and value, and read with them',
    ]);
    expect(namesOf(report, 'could not be tried')).toContain('a deal is won, with a time');
    expect(await account.count()).toBe(0);
  });

  test('after an abort in the middle, although the first deletions fail', async () => {
    const { fake, account, subject } = await prepare(start);
    const controller = new AbortController();
    subject.tools.lossReason = async () => {
      await fake.control.fault({ kind: 'error_before', method: 'DELETE', times: 2 });
      controller.abort();
      return null;
    };
    const report = await checkCrm(subject, controller.signal);
    expect(report.results.find(({ name }) => name.startsWith('a deal is lost'))).toMatchObject({
      outcome: 'could not be tried',
      why: 'interrupted',
    });
    expect(report.left).toEqual({ byHand: [], failed: [] });
    expect(await account.count()).toBe(0);
  });
});

test.each([
  ['Pipedrive', checkedPipedrive],
  ['RD Station CRM', checkedRdStation],
])('%s: webhooks whose creation had no response are removed', async (_, start) => {
  const { fake, account, subject } = await prepare(start);
  await fake.control.fault({ kind: 'cut_after', method: 'POST', path: '*/webhooks' });
  const report = await checkCrm(subject, never);
  expect(namesOf(report, 'differs')).toContain('webhooks are made once, and made again if they vanish');
  expect(await account.count()).toBe(0);
});

test('what cannot be removed is named', async () => {
  const { fake, subject } = await prepare(checkedPipedrive);
  await fake.control.fault({ kind: 'error_before', method: 'DELETE', path: '*/persons/*', times: 1000 });
  const { left, results } = await checkCrm(subject, never);
  expect(left.failed).toContainEqual(expect.stringMatching(/^lead "Placar check \w+ Ana Lima" \(\d+\): /));
  expect(results.at(-1)).toMatchObject({ outcome: 'differs', why: expect.stringContaining('Ana Lima') });
});

test('checks notice an adapter that is wrong', async () => {
  const { subject } = await prepare(checkedPipedrive);
  const { connect } = subject;
  const wrong = (connection: CrmConnection): CrmConnection => ({
    ...connection,
    async list(kind, options) {
      const { records, next } = await connection.list(kind, options);
      return { records: [...records, ...records.slice(0, 1)], next };
    },
    findLeads: async () => [],
    findDeals: async () => [],
    removeWebhooks: async () => {},
    update: (kind, id, change) => connection.update(kind, id, { ...change, name: 'Other' }),
  });
  subject.connect = (changes) => wrong(connect(changes));
  expect(namesOf(await checkCrm(subject, never), 'differs')).toEqual([
    'a contact whose creation had no response is found by its address',
    'a deal whose creation had no response is found by name, value and minute',
    'a list of contacts, by pages of two, has each one once',
    'a change of a contact changes only the members sent',
    'a change of a deal changes only the members sent, and moves it',
    'an activity is listed once it is done, if its type is mapped',
    'webhooks are made once, and made again if they vanish',
  ]);
});

test('checks notice an adapter that accepts webhooks without proof', async () => {
  const { subject } = await prepare(checkedPipedrive, await receive());
  subject.crm = { ...subject.crm, isGenuine: async () => true };
  expect(namesOf(await checkCrm(subject, never), 'differs')).toEqual([
    'a webhook arrives, is proved, and names the record',
  ]);
});

test.each([
  ['pipedrive', checkedPipedrive],
  ['rd-station', checkedRdStation],
  ['hubspot', checkedHubspot],
])('each line of %s/facts.ts that is unconfirmed is tried', async (folder, start) => {
  const { subject } = await prepare(start);
  const path = new URL(`../../../shared/connectors/crms/${folder}/facts.ts`, import.meta.url);
  const [, ...parts] = readFileSync(path, 'utf8').split(/^import /m);
  const text = parts.join('');
  const marks = text.match(/\[U\]|: U\]|unconfirmed/gi) ?? [];
  const lines = subject.facts.flatMap(({ line }) => line ?? []);
  expect(lines.filter((line) => !text.includes(line))).toEqual([]);
  expect(lines.length).toBe(marks.length);
});
