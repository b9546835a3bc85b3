// Checks that triggers may run on a deployment.

import { PermissionError, PlacarError } from '../../errors.ts';
import { type Context, placarOf } from '../context.ts';
import { CliError, exitCodes } from '../exit-codes.ts';

const refusal = (why: string) =>
  new CliError(
    `${why} Triggers write data, so they run only on local and staging deployments.`,
    exitCodes.usage,
  );

/** Throws unless the deployment accepts a test key, which production never does. Live keys are not even sent. */
export async function refuseProduction(context: Context): Promise<void> {
  const { apiKey = '' } = context.settings;
  const placar = placarOf(context, ['apiKey'], 'placar trigger');
  if (!apiKey.startsWith('sk_test_')) throw refusal('The API key is not a test key.');
  try {
    await placar.balance({ signal: context.signal });
  } catch (error) {
    // The key is valid, but lacks the scope to read the balance.
    if (error instanceof PermissionError) return;
    if (error instanceof PlacarError && error.status === 401) {
      throw refusal('The deployment rejects this test key, so it may be production.');
    }
    throw error;
  }
}
