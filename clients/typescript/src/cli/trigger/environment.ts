// Whether the deployment is one that events may be made in.

import { PermissionError, PlacarError } from '../../errors.ts';
import { type Context, placarOf } from '../context.ts';
import { CliError, exitCodes } from '../exit-codes.ts';

const refusal = (why: string) =>
  new CliError(
    `${why} Triggers write data, so they run on local and staging deployments alone.`,
    exitCodes.usage,
  );

/**
 * Throws unless the deployment takes a test key: one of production takes none. A live key is not even sent.
 */
export async function refuseProduction(context: Context): Promise<void> {
  const { apiKey = '' } = context.settings;
  const placar = placarOf(context, ['apiKey'], 'placar trigger');
  if (!apiKey.startsWith('sk_test_')) throw refusal('The API key is none of a test deployment.');
  try {
    await placar.balance({ signal: context.signal });
  } catch (error) {
    // The key is known; it may not read the balance.
    if (error instanceof PermissionError) return;
    if (error instanceof PlacarError && error.status === 401) {
      throw refusal('The deployment does not take this test key, so it may be production.');
    }
    throw error;
  }
}
