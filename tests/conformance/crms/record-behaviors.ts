/** Reading and writing contacts and deals. */

import assert from 'node:assert/strict';
import { findCreated } from '../../../shared/connectors/crms/created.ts';
import type { CrmDeal, CrmLead, CustomValues, WritableKind } from '../../../shared/connectors/crms/crm.ts';
import { CrmCredentialsRejected, CrmRejected } from '../../../shared/connectors/crms/errors.ts';
import { addressOf, type Behavior, type CheckRun, eventually, openStages } from './check-run.ts';
import { NotTried, needed } from './subject.ts';

const digitsOf = (phone: unknown) => String(phone ?? '').replaceAll(/\D/g, '');

/** Compares the members that were sent. CRMs may format phone numbers. */
export function assertValues(actual: object, sent: object): void {
  const values: Record<string, unknown> = { ...actual };
  for (const [member, value] of Object.entries(sent)) {
    const isPhone = member === 'phone';
    const [seen, expected] = isPhone ? [digitsOf(values[member]), digitsOf(value)] : [values[member], value];
    assert.deepEqual(
      seen,
      expected,
      `${member} is ${JSON.stringify(values[member])}, not ${JSON.stringify(value)}`,
    );
  }
}

/** Reads a record with a new connection, and compares all of it. */
async function assertReadAs<R extends CrmLead | CrmDeal>(
  run: CheckRun,
  kind: WritableKind,
  record: R,
): Promise<void> {
  const read = await run.subject.connect().read(kind, [record.id]);
  assert.deepEqual(
    read.map(({ id, values }) => ({ id, values })),
    [{ id: record.id, values: record.values }],
  );
}

const reading: Behavior[] = [
  {
    name: 'an account has an id, users by address, and stages in pipelines',
    async holds(run) {
      const { subject, found } = run;
      const inspection = await subject.connect().inspect();
      const { vendorId, users, stages, activityTypes } = inspection;
      assert.ok(vendorId.length > 0, 'the account has no id');
      assert.ok(activityTypes.length > 0, 'the account has no types of activities');
      for (const { email } of users) assert.equal(email, email.trim().toLowerCase());
      for (const list of [users, stages]) assert.equal(new Set(list.map(({ id }) => id)).size, list.length);
      for (const { name, pipeline } of stages)
        assert.ok(name && pipeline, 'a stage without a name or pipeline');
      found.inspection = inspection;
      openStages(run);
      assert.equal((await subject.connect().inspect()).vendorId, vendorId, 'another id the second time');
    },
  },
  {
    name: 'wrong credentials are rejected as such',
    async holds({ subject }) {
      await assert.rejects(subject.connect(subject.tools.stranger).inspect(), CrmCredentialsRejected);
    },
  },
];

const creating: Behavior[] = [
  {
    name: 'a contact is created with the values sent, and read with them',
    async holds(run) {
      const name = `${run.subject.prefix} Ana Lima`;
      const values = { name, email: addressOf(run, 'a'), phone: '+55 11 98765-4321' };
      const lead = await run.created.create('lead', values);
      run.found.lead = lead;
      assertValues(lead.values, values);
      await assertReadAs(run, 'lead', lead);
    },
  },
  {
    name: 'a contact whose creation had no response is found by its address',
    async holds(run) {
      const { id } = needed(run.found.lead, 'a contact');
      const values = { email: addressOf(run, 'a').toUpperCase() };
      const since = new Date().toISOString();
      const find = async () => (await findCreated(run.subject.connect(), 'lead', values, since))[0];
      assert.equal(await eventually(run, find, (found) => found === id), id);
    },
  },
  {
    name: 'a deal is created with its contact, stage and value, and read with them',
    async holds(run) {
      const { id: contact } = needed(run.found.lead, 'a contact');
      const [{ id: stage, pipeline }] = openStages(run);
      const values = {
        ...{ name: `${run.subject.prefix} annual plan`, value: 1250.5, stage, contact },
        expectedCloseDate: '2030-12-30',
      };
      const deal = await run.created.create('deal', values);
      run.found.deal = deal;
      assertValues(deal.values, { ...values, status: 'open', lossReason: null });
      assert.deepEqual([deal.pipeline, deal.closedAt], [pipeline, null]);
      await assertReadAs(run, 'deal', deal);
    },
  },
  {
    name: 'a deal whose creation had no response is found by name, value and minute',
    async holds(run) {
      const name = `${run.subject.prefix} second plan`;
      const since = new Date().toISOString();
      const values = { name, value: 300, stage: openStages(run)[0].id };
      const { id } = await run.created.create('deal', values);
      const find = async (value: number) =>
        (await findCreated(run.subject.connect(), 'deal', { name, value }, since))[0];
      assert.equal(
        await eventually(
          run,
          () => find(300),
          (found) => found === id,
        ),
        id,
      );
      run.found.hasFoundDeal = true;
      assert.equal(await find(301), undefined, 'a deal of another value was found');
      const [deal] = await run.subject.connect().read('deal', [id]);
      run.found.otherDeal = deal;
    },
  },
];

const updating: Behavior[] = [
  {
    name: 'a change of a contact changes only the members sent',
    async holds(run) {
      const { id, values } = needed(run.found.lead, 'a contact');
      const change = { name: `${run.subject.prefix} Ana Souza`, phone: '+55 21 91234-5678' };
      const changed = await run.subject.connect().update('lead', id, change);
      assertValues(changed.values, { ...values, ...change });
      await assertReadAs(run, 'lead', changed);
    },
  },
  {
    name: 'a contact gets a job title',
    async holds(run) {
      const { id } = needed(run.found.lead, 'a contact');
      try {
        const { values } = await run.subject.connect().update('lead', id, { position: 'Buyer' });
        assert.equal(values.position, 'Buyer');
      } catch (error) {
        // Some plans have none.
        if (error instanceof CrmRejected)
          throw new NotTried(`${run.subject.title} rejects it: ${error.message}`);
        throw error;
      }
    },
  },
  {
    name: 'a change of a deal changes only the members sent, and moves it',
    async holds(run) {
      const { id, values } = needed(run.found.deal, 'a deal');
      const [, { id: stage }] = openStages(run);
      const change = {
        name: `${run.subject.prefix} monthly plan`,
        value: 980,
        stage,
        expectedCloseDate: '2031-01-15',
      };
      const changed = await run.subject.connect().update('deal', id, change);
      assertValues(changed.values, { ...values, ...change });
      await assertReadAs(run, 'deal', changed);
    },
  },
  ...(['lead', 'deal'] as const).map(
    (kind): Behavior => ({
      name: `a mapped custom field of a ${kind === 'lead' ? 'contact' : 'deal'} is written, read and cleared`,
      async holds(run) {
        const field = run.subject.fields[kind];
        if (!field) throw new NotTried(`no field is named: --${kind}-field KEY=VALUE`);
        const { id } = needed(run.found[kind], `a ${kind}`);
        for (const value of [field.value, null]) {
          const change: { custom: CustomValues } = { custom: { [field.key]: value } };
          const { values } = await run.subject.connect().update(kind, id, change);
          assert.deepEqual(values.custom[field.key], value);
          const [read] = await run.subject.connect().read(kind, [id]);
          assert.deepEqual(read?.values.custom[field.key], value);
        }
      },
    }),
  ),
];

export const recordBehaviors = { reading, creating, updating };
