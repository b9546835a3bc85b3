/** Lists of records, activities and deletions. */
import assert from 'node:assert/strict';
import type { ConnectOptions, CrmRecords, RecordKind } from '../../../shared/connectors/crms/crm.ts';
import { CrmRecordGone } from '../../../shared/connectors/crms/errors.ts';
import {
  addressOf,
  type Behavior,
  type CheckRun,
  eventually,
  openStages,
  untilNextSecond,
} from './check-run.ts';
import { needed } from './subject.ts';

const MAX_CURSOR_LENGTH = 100_000;
/** The account has few contacts, and lists begin with the run: more pages mean that a list never ends. */
const MAX_PAGES = 500;

/** All pages of two records each. Each page is read with a new connection, as another worker does. */
async function listAll<K extends RecordKind>(
  { subject }: CheckRun,
  kind: K,
  since: string,
  changes: Partial<ConnectOptions> = {},
): Promise<{ records: CrmRecords[K][]; pages: number }> {
  const http: ConnectOptions['http'] = (request) => subject.http(subject.tools.withSmallPages(request));
  const records: CrmRecords[K][] = [];
  let cursor: string | null = null;
  for (let pages = 1; pages <= MAX_PAGES; pages++) {
    const connection = subject.connect({ http, ...changes });
    const page: { records: CrmRecords[K][]; next: string | null } = await connection.list(kind, {
      since,
      cursor,
    });
    records.push(...page.records);
    if (page.next === null) return { records, pages };
    assert.ok(page.next.length <= MAX_CURSOR_LENGTH, `a cursor has ${page.next.length} characters`);
    assert.notEqual(page.next, cursor, 'the cursor stays the same');
    cursor = page.next;
  }
  return assert.fail(`the list has more than ${MAX_PAGES} pages`);
}

/** Ids of these records in a list, in its order. Waits until all are listed. */
async function listed(
  run: CheckRun,
  kind: RecordKind,
  since: string,
  ids: readonly string[],
): Promise<string[]> {
  const read = async () => {
    const { records } = await listAll(run, kind, since);
    return records.map(({ id }) => id).filter((id) => ids.includes(id));
  };
  return await eventually(run, read, (found) => ids.every((id) => found.includes(id)));
}

const listing: Behavior[] = [
  {
    name: 'a list of contacts, by pages of two, has each one once',
    async holds(run) {
      const { id, updatedAt } = needed(run.found.lead, 'a contact');
      const ids = [id];
      for (const letter of ['b', 'c']) {
        const name = `${run.subject.prefix} ${letter}`;
        const values = { name, email: addressOf(run, letter) };
        ids.push((await run.created.create('lead', values)).id);
      }
      run.found.otherLeadId = ids[1];
      assert.deepEqual((await listed(run, 'lead', updatedAt, ids)).sort(), [...ids].sort());
      const { pages } = await listAll(run, 'lead', updatedAt);
      assert.ok(pages > 1, 'three contacts were on one page of two');
    },
  },
  {
    name: 'a list of deals has each one once',
    async holds(run) {
      const deals = [needed(run.found.deal, 'a deal'), needed(run.found.otherDeal, 'a second deal')];
      const since = needed(deals.map(({ updatedAt }) => updatedAt).sort()[0], 'a time');
      const ids = deals.map(({ id }) => id);
      assert.deepEqual((await listed(run, 'deal', since, ids)).sort(), [...ids].sort());
    },
  },
  {
    name: 'lists of deals show changes in their order, and only those since a time',
    async holds(run) {
      const [one, other] = [
        needed(run.found.deal, 'a deal').id,
        needed(run.found.otherDeal, 'a second deal').id,
      ];
      const change = async (id: string, value: number) => {
        await untilNextSecond(run);
        return (await run.subject.connect().update('deal', id, { value })).updatedAt;
      };
      const firstAt = await change(one, 11);
      assert.deepEqual(await listed(run, 'deal', firstAt, [one]), [one]);
      const secondAt = await change(other, 12);
      const thirdAt = await change(one, 13);
      assert.ok(
        firstAt < secondAt && secondAt < thirdAt,
        `times of changes: ${firstAt}, ${secondAt}, ${thirdAt}`,
      );
      assert.deepEqual(await listed(run, 'deal', firstAt, [other, one]), [other, one]);
      const { records } = await listAll(run, 'deal', thirdAt);
      const ids = records.map(({ id }) => id);
      assert.deepEqual(
        [ids.includes(one), ids.includes(other)],
        [true, false],
        'the list begins too early or late',
      );
      const [{ values } = assert.fail()] = records.filter(({ id }) => id === one);
      assert.equal(values.value, 13);
    },
  },
];

const activities: Behavior[] = [
  {
    name: 'an activity is listed once it is done, if its type is mapped',
    async holds(run) {
      const { subject, created } = run;
      const { id: deal } = needed(run.found.deal, 'a deal');
      const { activityType: type } = subject.tools;
      assert.ok(
        run.found.inspection?.activityTypes.includes(type),
        `the account has no activities of type ${type}`,
      );
      const name = `${subject.prefix} activity`;
      const id = await created.createBy('activity', name, () =>
        subject.tools.createActivity(name, type, deal),
      );
      run.found.activity = id;
      const read = async () => (await subject.connect().read('activity', [id]))[0] ?? assert.fail('not read');
      const open = await read();
      assert.deepEqual([open.type, open.isDone, open.doneAt], [type, false, null]);
      await untilNextSecond(run);
      await subject.tools.setDone(id);
      const done = await eventually(run, read, ({ isDone }) => isDone);
      assert.ok(
        done.isDone && done.doneAt && done.number,
        'the activity is not done, or has no time or number',
      );
      assert.deepEqual(await listed(run, 'activity', open.updatedAt, [id]), [id]);
      const { records } = await listAll(run, 'activity', open.updatedAt, { activityTypes: [] });
      assert.deepEqual(records, [], 'an activity that is not mapped is listed');
    },
  },
];

const deleting: Behavior[] = [
  {
    name: 'deleted activities, deals and contacts are absent',
    async holds(run) {
      const { subject, created, found } = run;
      const ids = { activity: found.activity, deal: found.deal?.id, lead: found.lead?.id };
      needed(ids.deal ?? ids.lead, 'a contact or a deal');
      for (const kind of ['activity', 'deal', 'lead'] as const) {
        const id = ids[kind];
        if (id === undefined) continue;
        await created.remove(kind, id);
        const read = () => subject.connect().read(kind, [id]);
        assert.deepEqual(
          await eventually(run, read, ({ length }) => length === 0),
          [],
          `${kind} is still read`,
        );
        const list = async () =>
          (await listAll(run, kind, needed(found.lead, 'a contact').updatedAt)).records;
        const isGone = (records: { id: string }[]) => !records.some((record) => record.id === id);
        assert.ok(isGone(await eventually<{ id: string }[]>(run, list, isGone)), `${kind} is still listed`);
      }
    },
  },
  {
    name: 'a change of a deleted record says that it is gone',
    async holds(run) {
      const { subject, created } = run;
      const [{ id: stage }] = openStages(run);
      const deal = await created.create('deal', { name: `${subject.prefix} deleted plan`, stage });
      await created.remove('deal', deal.id);
      const update = () => subject.connect().update('deal', deal.id, { name: `${subject.prefix} gone` });
      await assert.rejects(update, CrmRecordGone);
    },
  },
];

export const listBehaviors = { listing, activities, deleting };
