// Funds Wise transfers from the account's balance. If that is not possible, users fund them on Wise's website.
import { ProviderKeyRejected } from '../errors.ts';
import { parsedBody, type WiseClient } from './client.ts';
import { fundingSchema, type Payment, paymentsSchema } from './wire.ts';

/** The payments that funded a transfer, without rejected ones. Empty while it waits for funding. */
export async function paymentsOf(wise: WiseClient, id: string): Promise<Payment[]> {
  const answer = await wise.call({ method: 'GET', path: `/transfers/${id}/payments` });
  if (answer.status === 404) return [];
  const payments = parsedBody(paymentsSchema, answer, 'GET payments of a transfer');
  return payments.filter(({ status }) => status !== 'REJECTED');
}

/**
 * Funds a transfer from the balance. If Wise does not allow that or the balance is too low, the transfer waits for manual funding;
 * neither is an error. Read the transfer afterwards to find out whether it is funded.
 */
export async function fundTransfer(wise: WiseClient, id: string): Promise<void> {
  const path = `/profiles/${wise.profileId}/transfers/${id}/payments`;
  try {
    const answer = await wise.call({ method: 'POST', path, body: { type: 'BALANCE' } });
    // Wise also returns 201 for rejections.
    const outcome = fundingSchema.safeParse(answer.body);
    const isFunded = outcome.success && ['COMPLETED', 'CREATED'].includes(outcome.data.status);
    if (!isFunded)
      wise.log.info('Wise did not fund a transfer', {
        transfer: id,
        status: answer.status,
        code: outcome.success ? outcome.data.errorCode : undefined,
      });
  } catch (error) {
    // Some accounts get 401 only for this call. If the key itself is invalid, the next call fails as well.
    if (!(error instanceof ProviderKeyRejected)) throw error;
  }
}
