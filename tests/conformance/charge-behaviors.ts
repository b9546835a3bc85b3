/** The contract of charges. */
import assert from 'node:assert/strict';
import { boletoError, pixPayloadError } from '../../shared/payments/artifacts/verify.ts';
import type { Artifact, ChargeOrder, PaymentMethod } from '../../shared/payments/providers/charge-port.ts';
import { ProviderBusy, ProviderOutcomeUnknown } from '../../shared/payments/providers/errors.ts';
import { chargesOf } from '../../shared/payments/providers/provider.ts';
import { everything, statementOf } from './account-behaviors.ts';
import type { Behavior } from './behaviors.ts';
import { type Made, methodsOf, patient, type Subject } from './subject.ts';

const HOUR_MS = 3_600_000;

/** Creates a charge. Default: with the first supported method. */
export async function placed(subject: Subject, made: Made, method = methodsOf(subject)[0] ?? 'card') {
  const order = made.charge(subject.charge(method));
  const charge = await chargesOf(subject.provider).create(order, patient);
  return { charge, order: { ...order, providerReference: charge.providerReference } };
}

const canBePaid = (method: PaymentMethod): Behavior => ({
  name: `${method}: a charge has what the payer needs, is found again by our reference, and is canceled`,
  needs: [method],
  async holds(subject, made) {
    const { provider } = subject;
    const before = subject.charge(method);
    assert.equal(await chargesOf(provider).find(before, patient), undefined);

    const { charge, order } = await placed(subject, made, method);
    assert.equal(charge.state.status, 'open');
    assert.ok(charge.providerReference.length > 0);
    expectPayable(charge.artifact, order);
    const unnamed = { ...order, providerReference: undefined };
    for (const asked of [order, unnamed]) {
      const found = await chargesOf(provider).find(asked, patient);
      assert.deepEqual(
        [found?.providerReference, found?.state.status, found?.artifact],
        [charge.providerReference, 'open', charge.artifact],
      );
      const read = await chargesOf(provider).read(asked, patient);
      assert.deepEqual([read?.providerReference, read?.state.status], [charge.providerReference, 'open']);
    }
    assert.equal(await chargesOf(provider).cancel(order, patient), true);
    assert.equal(await chargesOf(provider).cancel(order, patient), true, 'canceling it again');
    const { pages } = chargesOf(provider);
    // Another page can be created for such a charge, so only the current one is closed.
    if (pages) return assert.equal((await pages.read(order, patient)).status, 'expired');
    const after = await chargesOf(provider).read(order, patient);
    assert.ok(
      after === undefined || ['canceled', 'failed'].includes(after.state.status),
      after?.state.status,
    );
  },
});

function expectPayable({ pix, boleto, checkout }: Artifact, { method, amountMinor }: ChargeOrder): void {
  if (method === 'pix' || method === 'bolepix') {
    assert.ok(pix);
    assert.equal(pixPayloadError(pix.payload, amountMinor), undefined);
  }
  if (method === 'boleto' || method === 'bolepix') {
    assert.ok(boleto);
    assert.equal(boletoError(boleto, amountMinor), undefined);
  }
  if (!pix && !boleto) assert.match(checkout?.url ?? '', /^https?:\/\//);
}

export const chargeBehaviors: Behavior[] = [
  ...(['pix', 'boleto', 'bolepix', 'card', 'ach_debit', 'sepa_debit', 'bank_transfer'] as const).map(
    canBePaid,
  ),
  {
    name: 'a charge that nobody waits for is not sent',
    needs: ['charge', 'account'],
    async holds(subject, made) {
      const { provider } = subject;
      const order = made.charge(subject.charge(methodsOf(subject)[0] ?? 'card'));
      await assert.rejects(chargesOf(provider).create(order, AbortSignal.abort()));
      assert.equal(await chargesOf(provider).find(order, patient), undefined);
    },
  },
  {
    name: 'a charge that was never ordered can be canceled, which makes nothing',
    needs: ['charge'],
    async holds({ provider, ...subject }) {
      const order = subject.charge(methodsOf({ provider, ...subject })[0] ?? 'card');
      assert.equal(await chargesOf(provider).cancel(order, patient), true);
      assert.equal(await chargesOf(provider).find(order, patient), undefined);
      assert.equal(await chargesOf(provider).read(order, patient), undefined);
    },
  },
  {
    name: 'the list of charges has each once, by our reference, with its state',
    needs: ['charge', 'account'],
    async holds(subject, made) {
      const { order } = await placed(subject, made);
      const since = new Date(order.createdAt.getTime() - HOUR_MS);
      const { account } = subject;
      assert.ok(account);
      const listed = await everything((page) => account.provider.listOrders('charge', since, page, patient));
      const ours = listed.filter(({ reference }) => reference === order.reference);
      assert.deepEqual(
        ours.map(({ providerReference, report }) => [providerReference, report?.state.status]),
        [[order.providerReference, 'open']],
      );
    },
  },
  {
    name: 'a look-up by our reference finds that charge among others',
    needs: ['charge', 'account'],
    async holds(subject, made) {
      const both = [await placed(subject, made), await placed(subject, made)];
      for (const { order } of both) {
        const found = await chargesOf(subject.provider).find(
          { ...order, providerReference: undefined },
          patient,
        );
        assert.equal(found?.providerReference, order.providerReference);
      }
    },
  },
  {
    name: 'a charge that was paid says so, with its fee, cannot be canceled, and is on the statement if there is one',
    needs: ['charge', 'stage'],
    async holds(subject, made) {
      const { provider, account, stage } = subject;
      const { order } = await placed(subject, made);
      await stage?.pay(order);
      await stage?.later();
      const read = await chargesOf(provider).read(order, patient);
      assert.deepEqual([read?.providerReference, read?.state.status], [order.providerReference, 'paid']);
      assert.ok(Number.isSafeInteger(read?.state.feeMinor), `fee ${read?.state.feeMinor}`);
      // If it is not specified, the date of payment counts.
      assert.match(read?.state.availableOn ?? '2000-01-01', /^\d{4}-\d{2}-\d{2}$/);
      assert.equal(await chargesOf(provider).cancel(order, patient), false);
      if (!account) return;
      const lines = await statementOf(account.provider, new Date(order.createdAt.getTime() - HOUR_MS));
      const references = lines.flatMap(({ order: of }) =>
        of?.kind === 'charge' ? [of.providerReference] : [],
      );
      const names = await Promise.all(
        references.map((name) => account.provider.resolve?.(name, patient) ?? name),
      );
      assert.ok(
        references.includes(order.providerReference) || names.includes(order.reference),
        `of charges the statement has ${references.join(', ') || 'nothing'}`,
      );
    },
  },
  {
    name: 'a charge whose answer was lost is a silence, and found by our reference, once',
    needs: ['charge', 'account', 'stage'],
    async holds(subject, made) {
      const { provider, stage, account } = subject;
      const order = made.charge(subject.charge(methodsOf(subject)[0] ?? 'card'));
      await stage?.silence?.('charge');
      await assert.rejects(chargesOf(provider).create(order, patient), ProviderOutcomeUnknown);
      const found = await chargesOf(provider).find(order, patient);
      assert.equal(found?.state.status, 'open');
      const since = new Date(order.createdAt.getTime() - HOUR_MS);
      assert.ok(account);
      const listed = await everything((page) => account.provider.listOrders('charge', since, page, patient));
      assert.equal(listed.filter(({ reference }) => reference === order.reference).length, 1);
    },
  },
  {
    name: 'a call that is one too many is told from silence',
    needs: ['account', 'stage'],
    async holds({ account, stage }) {
      await stage?.refuseOne?.();
      await assert.rejects(async () => account?.provider.readBalances(patient), ProviderBusy);
    },
  },
];
