/** Our webhooks at the CRM. They are the last checks: without a receiver, nothing may change while they exist. */
import assert from 'node:assert/strict';
import type { Hint } from '../../../shared/connectors/crms/crm.ts';
import { parseJson } from '../../../shared/platform/vendor-json.ts';
import { addressOf, type Behavior, type CheckRun, eventually } from './check-run.ts';
import { NotTried, needed } from './subject.ts';

const idsOf = (reference: string | null): string[] =>
  (reference ?? '')
    .split(/[\s,]+/)
    .filter(Boolean)
    .sort();

const countOf = async ({ subject }: CheckRun): Promise<number> =>
  (await subject.tools.countWebhooks?.(subject.webhookUrl)) ?? 0;

export const webhookBehaviors: Behavior[] = [
  {
    name: 'webhooks are made once, and made again if they vanish',
    async holds(run) {
      const { created, found } = run;
      const first = await created.ensureWebhooks(null);
      found.webhookSetup = first.setup;
      if (first.state === 'by_hand') throw new NotTried('by hand: a person uploads the file below');
      if (first.state === 'polling')
        throw new NotTried('these credentials allow no webhooks: changes are polled');
      const count = await countOf(run);
      assert.ok(count > 0 && first.reference !== null, 'no webhook leads to our address');
      const again = await created.ensureWebhooks(first.reference);
      assert.deepEqual([again.state, idsOf(again.reference)], ['active', idsOf(first.reference)]);
      assert.equal(await countOf(run), count, 'webhooks were made twice');
      await created.removeWebhooks(first.reference);
      assert.equal(await countOf(run), 0, 'webhooks were not removed');
      const { reference } = await created.ensureWebhooks(first.reference);
      assert.equal(await countOf(run), count, 'webhooks that vanished were not made again');
      assert.ok(!idsOf(reference).some((id) => idsOf(first.reference).includes(id)), 'an old id is kept');
      found.webhookReference = reference ?? undefined;
    },
  },
  {
    name: 'a webhook arrives, is proved, and names the record',
    async holds(run) {
      const { subject, created, found } = run;
      const { received, prefix, crm, webhookUrl: url, credentials } = subject;
      if (received === undefined)
        throw new NotTried('nothing receives webhooks: --listen PORT --callback-url URL');
      if (found.webhookSetup === undefined) needed(found.webhookReference, 'webhooks');
      const lead = await created.create('lead', { name: `${prefix} w`, email: addressOf(run, 'w') });
      const isAbout = ({ about }: Hint) => about?.kind === 'lead' && about.id === lead.id;
      const find = async () =>
        received.find(({ body }) => crm.readHints(parseJson(new TextDecoder().decode(body))).some(isAbout));
      const arrived = await eventually(run, find, (delivery) => delivery !== undefined);
      if (!arrived && found.webhookSetup !== undefined)
        throw new NotTried('none arrived: a person uploads the file below first');
      assert.ok(arrived, 'none arrived within 30 s');
      const delivery = { ...arrived, url, secret: created.secret, credentials, nowMs: Date.now() };
      assert.ok(await crm.isGenuine(delivery), 'the proof is not valid');
      const isGenuine = await crm.isGenuine({ ...delivery, headers: new Headers() });
      assert.ok(!isGenuine, 'a webhook without proof is accepted');
    },
  },
  {
    name: 'webhooks are removed; those that are gone are no error',
    async holds(run) {
      const reference = needed(run.found.webhookReference, 'webhooks');
      for (let time = 0; time < 2; time++) await run.created.removeWebhooks(reference);
      assert.equal(await countOf(run), 0, 'webhooks were not removed');
    },
  },
];
