// What the city of an account does, as far as Asaas knows.
import { z } from 'zod';
import { errorFields, type Logger } from '../../../platform/logger.ts';
import { ProviderOutcomeUnknown, ProviderRejected } from '../provider.ts';
import type { AsaasClient } from './client.ts';

const municipalOptions = z.object({ supportsCancellation: z.boolean().nullish() });

/** Why the city takes no documents back by itself; null where it does, and where Asaas does not say so: it is asked for all the same then. */
export async function cancellationReason(
  client: AsaasClient,
  log: Logger,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const options = await client.get('/fiscalInfo/municipalOptions', municipalOptions, signal);
    if (options?.supportsCancellation !== false) return null;
    return "The city takes no documents back through Asaas: cancel it in the city's system.";
  } catch (error) {
    if (!(error instanceof ProviderRejected || error instanceof ProviderOutcomeUnknown) || signal.aborted)
      throw error;
    log.warn('Asaas does not say whether the city takes documents back', errorFields(error));
    return null;
  }
}
