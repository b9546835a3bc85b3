/** The requests that an adapter sends, recorded while the conformance suite runs with the fake. */
import { startAsaas } from '../../../local/providers/asaas/index.ts';
import { startWise } from '../../../local/providers/wise/index.ts';
import { fiscalCodeKinds } from '../../../shared/payments/providers/accounts.ts';
import { chargesOf, taxDocumentsOf } from '../../../shared/payments/providers/provider.ts';
import { startReceiver } from '../../support/payments/vendor-receiver.ts';
import { asaasAccount, wiseAccount } from '../../support/payments/vendor-stages.ts';
import { checkConformance } from '../run.ts';
import { patient, type Subject } from '../subject.ts';
import { vendorSubject } from '../vendors.ts';
import type { SentRequest } from './compare.ts';

const DAY_MS = 86_400_000;

const documented = ['asaas', 'wise'] as const;
export type DocumentedVendor = (typeof documented)[number];
export const isDocumented = (name: string): name is DocumentedVendor =>
  documented.some((known) => known === name);

/** Requests that simulate payers and banks. */
const NOT_OURS = /\/(sandbox|simulation)\//;

export async function requestsOf(name: DocumentedVendor): Promise<SentRequest[]> {
  const receiver = await startReceiver();
  const fake = name === 'asaas' ? await startAsaas() : await startWise();
  try {
    const account = 'publicKey' in fake ? await wiseAccount(fake) : await asaasAccount(fake);
    const subject = await vendorSubject({ ...account, callbackUrl: receiver.url });
    await checkConformance(subject);
    await placeRarerOrders(subject);
    return (await fake.control.requests()).filter(({ path }) => !NOT_OURS.test(path));
  } finally {
    await fake.stop();
    receiver.close();
  }
}

/** Orders with members that the conformance suite does not use. The responses of the fake are ignored. */
async function placeRarerOrders({ account, charge, taxDocument }: Subject): Promise<void> {
  const provider = account?.provider;
  if (!provider?.taxDocuments) return;
  const order = charge('boleto');
  const address = {
    ...{ line1: 'Rua A', number: '1', complement: 'B', district: 'Centro', city: 'Recife', state: 'PE' },
    postal_code: '50000000',
  };
  const due = {
    dueDate: new Date(Date.now() + 10 * DAY_MS).toISOString().slice(0, 10),
    ...{ daysAfterDue: 30, finePercent: 2, interestPercentMonth: 1 },
    discount: { percent: 5, amountMinor: undefined, daysBeforeDue: 2 },
  };
  const taxes = {
    ...{ retain_iss: true, iss: 2, pis: 0.65, cofins: 3, csll: 1, inss: 0, ir: 1.5 },
    ...{ pis_cofins_cst: '01', operation_pis: 0.65, operation_cofins: 3 },
    ...{ nbs_code: '123456789', tax_situation_code: '000', tax_classification_code: '000001' },
    operation_indicator_code: '030101',
  };
  await Promise.allSettled([
    chargesOf(provider).create({ ...order, due, customer: { ...order.customer, address } }, patient),
    taxDocumentsOf(provider).issue({ ...taxDocument(), taxes }, patient),
    ...fiscalCodeKinds.map((kind) => provider.readFiscalCodes?.(kind, patient)),
  ]);
}
