// The checks of `npm run check:crm`, with the adapters and the fakes of CRMs over HTTP.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
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
} from '../../support/checked-crms.ts';

const fakes = {
  pipedrive: await checkedPipedrive(),
  rd_station: await checkedRdStation(),
  hubspot: await checkedHubspot(),
};
afterAll(() => Promise.all(Object.values(fakes).map((fake) => fake.stop())));

const never = new AbortController().signal;

/** Time at the CRM is the fake's. */
async function subjectOf(
  { control }: CheckedCrm,
  { definition, options }: CheckedAccount,
  changes: Partial<SubjectOptions> = {},
): Promise<Subject> {
  const later = async (ms: number) => void (await control.advance({ ms }));
  return await connectSubject(definition, { ...options, later, ...changes });
}

const differing = ({ results, facts }: Report) =>
  [...results, ...facts].filter(({ outcome }) => outcome === 'differs');

describe.each(Object.entries(fakes))('%s', (name, fake) => {
  test('all checks pass, webhooks arrive, and nothing is left', async () => {
    const account = await fake.createAccount();
    const receiver = await startReceiver(0);
    const { url: callbackUrl, received } = receiver;
    const subject = await subjectOf(fake, account, { callbackUrl, received });
    // At RD Station, a person deletes.
    if (name === 'rd_station')
      subject.tools.remove = async (kind, id) => void (await account.remove(kind, id).catch(() => {}));
    if (name === 'hubspot') {
      const order = { url: subject.webhookUrl, secret: '', reference: null };
      const { setup } = await subject.connect().ensureWebhooks(order, never);
      await fakes.hubspot.configureWebhooks(account.id, setup);
    }
    const report = await checkCrm(subject, never).finally(() => receiver.close());
    expect(differing(report)).toEqual([]);
    const byHand = [
      'webhooks are made once, and made again if they vanish',
      'webhooks are removed; those that are gone are no error',
    ];
    const untried = report.results.filter(({ outcome }) => outcome !== 'ok').map((result) => result.name);
    expect(untried).toEqual(name === 'hubspot' ? byHand : []);
    expect(await account.count()).toBe(0);
  });
});
