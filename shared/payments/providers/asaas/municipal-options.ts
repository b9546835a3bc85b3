// Reads the capabilities of the account's municipality from Asaas.
import { z } from 'zod';
import { errorFields, type Logger } from '../../../platform/logger.ts';
import { ProviderOutcomeUnknown, ProviderRejected } from '../errors.ts';
import type { AsaasClient } from './client.ts';

const municipalOptions = z.object({ supportsCancellation: z.boolean().nullish() });

/** Why the municipality does not support cancellations through Asaas; null if it does or if Asaas does not know. */
export async function cancellationReason(
  client: AsaasClient,
  log: Logger,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const options = await client.get('/fiscalInfo/municipalOptions', municipalOptions, signal);
    if (options?.supportsCancellation !== false) return null;
    return "The municipality does not support cancellations through Asaas. Cancel the document in the municipality's system.";
  } catch (error) {
    if (!(error instanceof ProviderRejected || error instanceof ProviderOutcomeUnknown) || signal.aborted)
      throw error;
    log.warn('Asaas municipal options unavailable', errorFields(error));
    return null;
  }
}
