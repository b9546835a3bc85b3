// What an account at Wise can do.
import type { AccountReport, Capabilities } from '../provider.ts';
import type { WiseClient } from './client.ts';
import { readBalances } from './statement.ts';
import { profilesSchema } from './wire.ts';

const NO_CHARGES = 'Wise pays out and takes no charges.';

export async function inspectAccount(wise: WiseClient, signal: AbortSignal): Promise<AccountReport> {
  const profiles = await wise.ask(profilesSchema, { method: 'GET', path: '/profiles' }, signal);
  const found = profiles.some(({ id }) => id === wise.profileId);
  return {
    capabilities: capabilities(found ? null : unknownProfile(wise.profileId, profiles)),
    balances: found ? await readBalances(wise, signal) : [],
  };
}

function unknownProfile(profileId: string, profiles: { id: string; type?: string | undefined }[]): string {
  const ids = profiles.map(({ id, type }) => (type ? `${id} (${type.toLowerCase()})` : id)).join(', ');
  return `The token has no profile ${profileId}: connect it with one of ${ids || 'a token that has profiles'}.`;
}

const capabilities = (payout: string | null): Capabilities => ({
  pix: NO_CHARGES,
  boleto: NO_CHARGES,
  card: NO_CHARGES,
  payout,
  tax_document: 'Wise issues no tax documents.',
  tax_document_cancellation: 'Wise issues no tax documents.',
  ach_debit: NO_CHARGES,
  sepa_debit: NO_CHARGES,
  bank_transfer: NO_CHARGES,
});
