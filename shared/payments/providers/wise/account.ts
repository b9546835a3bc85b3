// Capabilities and balances of a Wise account.
import type { AccountReport, Capabilities } from '../accounts.ts';
import type { WiseClient } from './client.ts';
import { readBalances } from './statement.ts';
import { profilesSchema } from './wire.ts';

const NO_CHARGES = 'Wise supports only payouts, not charges.';

export async function inspectAccount(wise: WiseClient): Promise<AccountReport> {
  const profiles = await wise.ask(profilesSchema, { method: 'GET', path: '/profiles' });
  const found = profiles.some(({ id }) => id === wise.profileId);
  return {
    capabilities: capabilities(found ? null : unknownProfile(wise.profileId, profiles)),
    balances: found ? await readBalances(wise) : [],
  };
}

function unknownProfile(profileId: string, profiles: { id: string; type?: string | undefined }[]): string {
  const ids = profiles.map(({ id, type }) => (type ? `${id} (${type.toLowerCase()})` : id)).join(', ');
  const action = ids
    ? `Connect with one of its profiles: ${ids}.`
    : 'Connect with a token that has profiles.';
  return `The token has no profile ${profileId}. ${action}`;
}

const capabilities = (payout: string | null): Capabilities => ({
  pix: NO_CHARGES,
  boleto: NO_CHARGES,
  card: NO_CHARGES,
  payout,
  tax_document: 'Wise does not issue tax documents.',
  tax_document_cancellation: 'Wise does not issue tax documents.',
  ach_debit: NO_CHARGES,
  sepa_debit: NO_CHARGES,
  bank_transfer: NO_CHARGES,
});
