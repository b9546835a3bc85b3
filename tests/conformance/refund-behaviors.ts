/** The contract of refunds. They require a paid charge. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { ChargeOrder } from '../../shared/payments/providers/charge-port.ts';
import { chargesOf, refundsOf } from '../../shared/payments/providers/provider.ts';
import type { RefundOrder } from '../../shared/payments/providers/refund-port.ts';
import type { Behavior } from './behaviors.ts';
import { placed } from './charge-behaviors.ts';
import { patient, type Subject } from './subject.ts';

/** Sandboxes take some seconds to report a payment. */
const LOOKS = 60;
const BETWEEN_LOOKS_MS = 1000;

async function untilPaid({ provider }: Subject, order: ChargeOrder): Promise<void> {
  for (let look = 1; look <= LOOKS; look++) {
    const read = await chargesOf(provider).read(order, patient);
    if (read?.state.status === 'paid') return;
    await wait(BETWEEN_LOOKS_MS);
  }
  assert.fail('the charge is not paid after a minute');
}

export const refundBehaviors: Behavior[] = [
  {
    name: 'a refund is made once, in part, is found by our reference, and is in the report of its charge',
    needs: ['charge', 'account', 'refund', 'payer'],
    async holds(subject, made) {
      const { provider, payer } = subject;
      const { order } = await placed(subject, made);
      await payer?.(order);
      await untilPaid(subject, order);
      const refund: RefundOrder = {
        reference: `rfd_${'0'.repeat(10)}${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`,
        amountMinor: 500,
        reason: undefined,
      };
      assert.equal(await refundsOf(provider).find(order, refund, patient), undefined);
      const { status, amountMinor } = await refundsOf(provider).create(order, refund, patient);
      assert.equal(amountMinor, 500);
      assert.notEqual(status, 'failed');
      const found = await refundsOf(provider).find(order, refund, patient);
      assert.deepEqual([found?.reference, found?.amountMinor], [refund.reference, 500]);
      const report = await chargesOf(provider).read(order, patient);
      const ours = report?.refunds?.filter(({ reference }) => reference === refund.reference) ?? [];
      assert.deepEqual(
        ours.map((one) => one.amountMinor),
        [500],
      );
      assert.equal(
        await refundsOf(provider).find(order, { ...refund, reference: `rfd_${'1'.repeat(26)}` }, patient),
        undefined,
      );
    },
  },
];
