// Paying for transfers: from the balance where the account may, else by people on Wise's site.
import { ProviderKeyRefused, ProviderOutcomeUnknown } from '../provider.ts';
import { refusalOf, type WiseClient } from './client.ts';
import { fundingSchema, type Payment, paymentsSchema } from './wire.ts';

/** What paid for a transfer; nothing yet while it waits. */
export async function paymentsOf(wise: WiseClient, id: string, signal: AbortSignal): Promise<Payment[]> {
  const answer = await wise.call({ method: 'GET', path: `/transfers/${id}/payments` }, signal);
  if (answer.status === 404) return [];
  if (answer.status >= 300) throw refusalOf(answer);
  const payments = paymentsSchema.safeParse(answer.body);
  if (payments.success) return payments.data;
  throw new ProviderOutcomeUnknown('Wise GET payments of a transfer: the answer has another form');
}

/**
 * Pays for a transfer from the balance. Where Wise does not let us, or the balance is too small, it waits for people to pay: neither
 * is a failure. Whether it is paid for is read afterwards.
 */
export async function fundTransfer(wise: WiseClient, id: string, signal: AbortSignal): Promise<void> {
  const path = `/profiles/${wise.profileId}/transfers/${id}/payments`;
  try {
    const answer = await wise.call({ method: 'POST', path, body: { type: 'BALANCE' } }, signal);
    // The status is 201 for refusals as well.
    const outcome = fundingSchema.safeParse(answer.body);
    const done = outcome.success && ['COMPLETED', 'CREATED'].includes(outcome.data.status);
    if (!done)
      wise.log.info('wise did not fund a transfer', {
        transfer: id,
        status: answer.status,
        code: outcome.success ? outcome.data.errorCode : undefined,
      });
  } catch (error) {
    // Some accounts are told 401 for this alone; a key that is refused for everything is by the next call as well.
    if (!(error instanceof ProviderKeyRefused)) throw error;
  }
}
