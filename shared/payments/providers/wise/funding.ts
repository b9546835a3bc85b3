// Funds Wise transfers from the account's balance. If that is not possible, users fund them on Wise's website.
import { ProviderKeyRejected, ProviderOutcomeUnknown } from '../errors.ts';
import { type WiseClient, wiseRejection } from './client.ts';
import { fundingSchema, type Payment, paymentsSchema } from './wire.ts';

/** The payments that funded a transfer, without rejected ones. Empty while it waits for funding. */
export async function paymentsOf(wise: WiseClient, id: string, signal: AbortSignal): Promise<Payment[]> {
  const answer = await wise.call({ method: 'GET', path: `/transfers/${id}/payments` }, signal);
  if (answer.status === 404) return [];
  if (answer.status >= 300) throw wiseRejection(answer);
  const payments = paymentsSchema.safeParse(answer.body);
  if (payments.success) return payments.data.filter(({ status }) => status !== 'REJECTED');
  throw new ProviderOutcomeUnknown('Wise GET payments of a transfer: unexpected response format');
}

/**
 * Funds a transfer from the balance. If Wise does not allow that or the balance is too low, the transfer waits for manual funding;
 * neither is an error. Read the transfer afterwards to find out whether it is funded.
 */
export async function fundTransfer(wise: WiseClient, id: string, signal: AbortSignal): Promise<void> {
  const path = `/profiles/${wise.profileId}/transfers/${id}/payments`;
  try {
    const answer = await wise.call({ method: 'POST', path, body: { type: 'BALANCE' } }, signal);
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
