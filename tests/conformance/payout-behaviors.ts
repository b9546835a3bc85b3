/** The contract of payouts. All amounts here exceed the balance, so that no money moves. */
import assert from 'node:assert/strict';
import {
  InvalidOrder,
  ProviderOutcomeUnknown,
  ProviderRejected,
} from '../../shared/payments/providers/errors.ts';
import type { PayoutOrder, PayoutReport } from '../../shared/payments/providers/payout-port.ts';
import { payoutsOf } from '../../shared/payments/providers/provider.ts';
import type { Behavior } from './behaviors.ts';
import { patient, type Subject } from './subject.ts';

const MORE_MINOR = 100_000;

async function beyondTheBalance({ account, payout }: Subject): Promise<PayoutOrder> {
  const order = payout();
  const balances = (await account?.provider.readBalances(patient)) ?? [];
  const balance = balances.find(({ currency }) => currency === order.currency)?.amountMinor ?? 0;
  return { ...order, amountMinor: Math.max(balance, 0) + MORE_MINOR };
}

export const payoutBehaviors: Behavior[] = [
  {
    name: 'a payout that was never ordered is not found',
    needs: ['payout'],
    async holds({ provider, payout }) {
      assert.equal(await payoutsOf(provider).find(payout(), patient), undefined);
    },
  },
  {
    name: 'a payout to an account of another kind is refused, and nothing is made',
    needs: ['payout', 'account'],
    async holds({ provider, payout }, made) {
      const order = payout();
      const { bank_account: own } = order.beneficiary;
      const other: PayoutOrder['beneficiary']['bank_account'] =
        own.type === 'pix'
          ? { type: 'bank_transfer', country: 'DE', iban: 'DE89370400440532013000' }
          : { type: 'pix', key_type: 'email', key: 'ana@example.com' };
      const wrong = made.payout({ ...order, beneficiary: { ...order.beneficiary, bank_account: other } });
      await assert.rejects(payoutsOf(provider).create(wrong, patient), isNoOrder);
      assert.equal(await payoutsOf(provider).find(wrong, patient), undefined);
    },
  },
  {
    name: 'a payout beyond the balance is refused and not there, or waits for its money and is canceled',
    needs: ['payout', 'account'],
    async holds(subject, made) {
      const { provider } = subject;
      const order = made.payout(await beyondTheBalance(subject));
      let report: PayoutReport;
      try {
        report = await payoutsOf(provider).create(order, patient);
      } catch (error) {
        assert.ok(isNoOrder(error), String(error));
        assert.equal(await payoutsOf(provider).find(order, patient), undefined);
        return;
      }
      assert.ok(['created', 'incoming_payment_waiting'].includes(report.state.status), report.state.status);
      if (report.state.status === 'incoming_payment_waiting')
        assert.ok(report.funding, 'what it needs is not told');
      if (payoutsOf(provider).resendPolicy === 'at_once') {
        const again = await payoutsOf(provider).create(order, patient);
        assert.equal(again.providerReference, report.providerReference, 'sent again it is another one');
      }
      const found = await payoutsOf(provider).find(order, patient);
      assert.equal(found?.providerReference, report.providerReference);
      assert.equal(await payoutsOf(provider).cancel(order, patient), true);
      assert.equal(await payoutsOf(provider).cancel(order, patient), true, 'canceling it again');
      const after = await payoutsOf(provider).find(order, patient);
      assert.ok(
        after === undefined || ['canceled', 'failed'].includes(after.state.status),
        after?.state.status,
      );
    },
  },
  {
    name: 'a payout whose answer was lost is a silence, and found by our reference alone',
    needs: ['payout', 'account', 'stage'],
    async holds(subject, made) {
      const { provider, stage } = subject;
      const order = made.payout(subject.payout());
      await stage?.silence?.('payout');
      await assert.rejects(payoutsOf(provider).create(order, patient), ProviderOutcomeUnknown);
      const found = await payoutsOf(provider).find(order, patient);
      assert.ok(found);
      assert.equal(await payoutsOf(provider).find(subject.payout(), patient), undefined, 'another is found');
      if (payoutsOf(provider).resendPolicy === 'at_once') {
        const again = await payoutsOf(provider).create(order, patient);
        assert.equal(again.providerReference, found.providerReference);
      }
    },
  },
];

const isNoOrder = (error: unknown): boolean =>
  error instanceof ProviderRejected || error instanceof InvalidOrder;
