/** The contract of accounts: their data, our webhook, their lists. */
import assert from 'node:assert/strict';
import type { Page } from '../../shared/payments/providers/accounts.ts';
import { ProviderKeyRejected } from '../../shared/payments/providers/errors.ts';
import type { ConnectedProvider } from '../../shared/payments/providers/provider.ts';
import type { Behavior } from './behaviors.ts';
import { type AccountSubject, patient, type Subject } from './subject.ts';

const CAPABILITIES = [
  'ach_debit',
  'bank_transfer',
  'boleto',
  'card',
  'payout',
  'pix',
  'sepa_debit',
  'tax_document',
  'tax_document_cancellation',
];
const DAY_MS = 86_400_000;
/** More pages for one day mean that a list never ends. */
const MAX_PAGES = 200;
const bytes = (text: string) => new TextEncoder().encode(text);

function accountOf({ account }: Subject): AccountSubject {
  assert.ok(account);
  return account;
}

/** All entries of a list, page by page. */
export async function everything<T>(read: (page: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  let page: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { items, next } = await read(page);
    all.push(...items);
    if (next === undefined) return all;
    page = next;
  }
  return assert.fail(`the list has more than ${MAX_PAGES} pages`);
}

export const statementOf = (provider: ConnectedProvider, since: Date) =>
  everything((page) => provider.listStatement(since, page, patient));

export const accountBehaviors: Behavior[] = [
  {
    name: 'it says of every method and kind whether it can do it, or what to set up',
    needs: ['account'],
    async holds(subject) {
      const { capabilities } = await accountOf(subject).provider.inspectAccount(patient);
      assert.deepEqual(Object.keys(capabilities).sort(), CAPABILITIES);
      for (const [what, reason] of Object.entries(capabilities))
        assert.ok(reason === null || reason.trim().length > 10, `${what}: "${reason}" says nothing`);
    },
  },
  {
    name: 'balances are whole minor units, each currency once',
    needs: ['account'],
    async holds(subject) {
      const balances = await accountOf(subject).provider.readBalances(patient);
      for (const { currency, amountMinor } of balances) {
        assert.match(currency, /^[A-Z]{3}$/);
        assert.ok(Number.isSafeInteger(amountMinor), `${amountMinor} ${currency}`);
      }
      assert.equal(new Set(balances.map(({ currency }) => currency)).size, balances.length);
    },
  },
  {
    name: 'a key that the provider does not know is told from a refusal, and is in no error',
    needs: ['account'],
    async holds(subject) {
      const key = 'sk_test_nobodysKeyOfThisProvider0123456789';
      const stranger = await accountOf(subject).as({ key });
      for (const ask of [
        () => stranger.inspectAccount(patient),
        () => stranger.readBalances(patient),
        () => stranger.listStatement(new Date(Date.now() - DAY_MS), undefined, patient),
      ])
        await assert.rejects(ask(), (error: Error) => {
          assert.ok(error instanceof ProviderKeyRejected, String(error));
          assert.ok(!`${error.stack} ${JSON.stringify(error)}`.includes(key), 'the key is in the error');
          return true;
        });
    },
  },
  {
    name: 'a webhook is made once, is active, and goes, as often as it is asked for',
    needs: ['account', 'webhook'],
    async holds(subject, made) {
      const { provider, as, webhook } = accountOf(subject);
      assert.ok(webhook);
      made.webhook(webhook);
      const first = await provider.ensureWebhook(webhook, patient);
      assert.deepEqual([first.state, first.reference.length > 0], ['active', true]);
      const knowing = first.secret === undefined ? provider : await as({ webhookSecret: first.secret });
      const again = await knowing.ensureWebhook({ ...webhook, reference: first.reference }, patient);
      assert.deepEqual([again.reference, again.state], [first.reference, 'active']);
      await provider.removeWebhook({ ...webhook, reference: first.reference }, patient);
      await provider.removeWebhook({ ...webhook, reference: first.reference }, patient);
    },
  },
  {
    name: 'deliveries without proof, or with a wrong one, are not believed',
    needs: ['account'],
    async holds(subject) {
      const { provider, as } = accountOf(subject);
      const body = bytes('{"id":"evt_1"}');
      const wrong = 'A'.repeat(64);
      for (const headers of [
        new Headers(),
        new Headers({
          'asaas-access-token': wrong,
          'x-signature-sha256': wrong,
          'stripe-signature': `t=1,v1=${wrong}`,
        }),
      ])
        for (const asked of [provider, await as({ webhookSecret: null }), await as({ webhookSecret: '' })])
          assert.equal(await asked.verifyDelivery(headers, body), false);
    },
  },
  {
    name: 'what is no event is not read as one',
    needs: ['account'],
    async holds(subject) {
      const { provider } = accountOf(subject);
      for (const body of ['', 'hello', '[]', '{}', 'null'])
        assert.throws(() => provider.readEvents(new Headers(), bytes(body)), `"${body}" was read`);
    },
  },
  {
    name: 'the statement ends, has each line once, in whole minor units',
    needs: ['account'],
    async holds(subject) {
      const lines = await statementOf(accountOf(subject).provider, new Date(Date.now() - DAY_MS));
      assert.equal(new Set(lines.map(({ id }) => id)).size, lines.length);
      for (const { id, amountMinor, at } of lines)
        assert.ok(Number.isSafeInteger(amountMinor) && !Number.isNaN(at.getTime()), id);
    },
  },
  {
    name: 'lists and the statement since a day to come are empty: the provider knows the filters',
    needs: ['account'],
    async holds(subject) {
      const { provider } = accountOf(subject);
      const since = new Date(Date.now() + 3 * DAY_MS);
      for (const kind of ['charge', 'payout', 'tax_document'] as const) {
        const listed = await everything((page) => provider.listOrders(kind, since, page, patient));
        // Some entries are listed because of their state, however old they are.
        const open = listed.filter(({ report }) => report?.state.status !== 'paid');
        assert.deepEqual(
          open.map(({ providerReference }) => providerReference),
          [],
          kind,
        );
      }
      assert.deepEqual(
        (await statementOf(provider, since)).map(({ id }) => id),
        [],
      );
    },
  },
];
