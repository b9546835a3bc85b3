/** What happens to a deal: other contacts, won, lost, open again. */
import assert from 'node:assert/strict';
import { type Behavior, type CheckRun, openStages } from './check-run.ts';
import { assertValues } from './record-behaviors.ts';
import { needed } from './subject.ts';

export const dealBehaviors: Behavior[] = [
  {
    name: 'a deal gets another contact, and none',
    async holds(run) {
      const { id, values } = needed(run.found.deal, 'a deal');
      for (const contact of [needed(run.found.otherLeadId, 'a second contact'), null, values.contact]) {
        await run.subject.connect().update('deal', id, { contact });
        const [deal] = await run.subject.connect().read('deal', [id]);
        assert.equal(deal?.values.contact, contact);
      }
    },
  },
  {
    name: 'a deal is won, with a time',
    async holds(run) {
      const { id } = needed(run.found.deal, 'a deal');
      const { values, closedAt } = await run.subject.connect().update('deal', id, { status: 'won' });
      assert.equal(values.status, 'won');
      assert.ok(closedAt, 'a won deal without a time');
    },
  },
  {
    name: 'a deal is opened again, in a stage',
    holds: openAgain,
  },
  {
    name: 'a deal is lost, with a time and a reason',
    async holds(run) {
      const { id } = needed(run.found.deal, 'a deal');
      const lossReason = await run.subject.tools.lossReason();
      const change = { status: 'lost' as const, ...(lossReason !== null && { lossReason }) };
      const { values, closedAt } = await run.subject.connect().update('deal', id, change);
      assertValues(values, change);
      assert.ok(closedAt, 'a lost deal without a time');
    },
  },
  {
    name: 'a lost deal is opened again, without its reason',
    holds: openAgain,
  },
];

async function openAgain(run: CheckRun): Promise<void> {
  const { id } = needed(run.found.deal, 'a deal');
  const [{ id: stage }] = openStages(run);
  const change = { status: 'open' as const, stage };
  const { values, closedAt } = await run.subject.connect().update('deal', id, change);
  assertValues(values, { ...change, lossReason: null });
  assert.equal(closedAt, null);
}
