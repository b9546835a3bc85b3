import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWise, type Wise } from '../../../local/providers/wise/index.ts';
import { PATIENT, payoutOrder, wiseAdapter } from '../../support/wise-adapter.ts';

let wise: Wise;
beforeAll(async () => {
  wise = await startWise();
});
afterAll(() => wise.stop());

describe('a payout', () => {
  test('in one currency: funded from the balance, sent, with the fee of the quote', async () => {
    const { provider, account, ok, balance } = await wiseAdapter(wise);
    const order = payoutOrder();
    const report = await provider.createPayout(order, PATIENT);
    console.log(JSON.stringify(report));
    await wise.control.advance({ seconds: 10 });
    const later = await provider.findPayout({ ...order, providerReference: report.providerReference }, PATIENT);
    console.log(JSON.stringify(later), await balance('EUR'), account.id);
    const transfer = await ok('GET', `/transfers/${report.providerReference}`);
    console.log(JSON.stringify(transfer), JSON.stringify(await ok('GET', `/transfers/${report.providerReference}/payments`)));
    expect(later?.state.status).toBe('paid');
  });
});
