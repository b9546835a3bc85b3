/** The contract of payment providers (shared/payments/providers/provider.ts), as a list of behaviors with their requirements. */
import assert from 'node:assert/strict';
import type { PaymentMethod } from '../../shared/payments/providers/charge-port.ts';
import { ProviderRejected } from '../../shared/payments/providers/errors.ts';
import { fetchProviderFile, taxDocumentsOf } from '../../shared/payments/providers/provider.ts';
import { accountBehaviors } from './account-behaviors.ts';
import { chargeBehaviors } from './charge-behaviors.ts';
import { payoutBehaviors } from './payout-behaviors.ts';
import { refundBehaviors } from './refund-behaviors.ts';
import { type Made, patient, type Subject } from './subject.ts';

/** A method or kind that it supports or does not support; an account; a URL for its webhook; or a controllable fake. */
export type Need =
  | PaymentMethod
  | 'charge'
  | 'payout'
  | 'tax_document'
  | 'no charge'
  | 'no payout'
  | 'no tax document'
  | 'account'
  | 'webhook'
  | 'payer'
  | 'refund'
  | 'stage';

export interface Behavior {
  name: string;
  needs: readonly Need[];
  /** Throws if the behavior is violated. */
  holds(subject: Subject, made: Made): Promise<void>;
}

const taxDocumentBehaviors: Behavior[] = [
  {
    name: 'a tax document that was never ordered is not found',
    needs: ['tax_document'],
    async holds({ provider, taxDocument }) {
      assert.equal(await taxDocumentsOf(provider).find(taxDocument(), patient), undefined);
    },
  },
  {
    name: 'a tax document is issued once, however often it is ordered, and canceled',
    needs: ['tax_document', 'stage'],
    async holds({ provider, taxDocument, stage }) {
      const order = taxDocument();
      const { providerReference } = await taxDocumentsOf(provider).issue(order, patient);
      await stage?.later();
      const again = await taxDocumentsOf(provider).issue(order, patient);
      assert.equal(again.providerReference, providerReference);
      const found = await taxDocumentsOf(provider).find(order, patient);
      assert.deepEqual([found?.providerReference, found?.status], [providerReference, 'issued']);
      for (let time = 0; time < 2; time++) {
        const { status, cancelPending } = await taxDocumentsOf(provider).cancel(order, patient);
        assert.ok(status === 'canceled' || cancelPending, `after canceling it is ${status}`);
        await stage?.later();
      }
      assert.equal((await taxDocumentsOf(provider).find(order, patient))?.status, 'canceled');
    },
  },
  {
    name: 'files are fetched from the provider alone',
    needs: [],
    async holds({ provider }) {
      const addresses = [
        'https://example.com/file.pdf',
        'http://169.254.169.254/latest',
        'file:///etc/passwd',
        'x',
      ];
      for (const address of addresses)
        await assert.rejects(fetchProviderFile(provider, address, patient), ProviderRejected, address);
    },
  },
];

/** Rejects orders that the account does not support, so that silence is never mistaken for success. Unsupported operations have no port. */
const missingBehaviors: Behavior[] = [
  {
    name: 'charges that it cannot take are refused, and none is found',
    needs: ['no charge'],
    async holds({ provider: { charges }, charge }) {
      if (!charges) return;
      const order = charge('card');
      await assert.rejects(charges.create(order, patient), ProviderRejected);
      assert.equal(await charges.find(order, patient), undefined);
      assert.equal(await charges.read(order, patient), undefined);
    },
  },
  {
    name: 'payouts that it cannot make are refused, and none is found',
    needs: ['no payout'],
    async holds({ provider: { payouts }, payout }) {
      if (!payouts) return;
      const order = payout();
      await assert.rejects(payouts.create(order, patient), ProviderRejected);
      assert.equal(await payouts.find(order, patient), undefined);
    },
  },
  {
    name: 'tax documents that it cannot issue are refused, and none is found',
    needs: ['no tax document'],
    async holds({ provider: { taxDocuments }, taxDocument }) {
      if (!taxDocuments) return;
      const order = taxDocument();
      await assert.rejects(taxDocuments.issue(order, patient), ProviderRejected);
      assert.equal(await taxDocuments.find(order, patient), undefined);
    },
  },
];

export const behaviors: readonly Behavior[] = [
  ...accountBehaviors,
  ...chargeBehaviors,
  ...refundBehaviors,
  ...payoutBehaviors,
  ...taxDocumentBehaviors,
  ...missingBehaviors,
];
