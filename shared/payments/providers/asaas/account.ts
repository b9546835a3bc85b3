// What an account at Asaas can do, and what is on it.
import { z } from 'zod';
import { errorFields, type Logger } from '../../../platform/logger.ts';
import { toMinor } from '../decimal.ts';
import {
  type Balance,
  type Capabilities,
  type ConnectedProvider,
  ProviderOutcomeUnknown,
  ProviderRejected,
} from '../provider.ts';
import { type AsaasClient, AsaasRefusal } from './client.ts';
import { cancellationReason } from './municipal-options.ts';

const balance = z.object({ balance: z.number() });
const pixKey = z.object({ status: z.string().nullish() });
const approval = z.object({ general: z.string().nullish() });
/** One of them is asked for by every city. */
const fiscalInfo = z.object({
  email: z.string().nullish(),
  municipalInscription: z.string().nullish(),
  simplesNacional: z.boolean().nullish(),
  cnae: z.string().nullish(),
  rpsSerie: z.string().nullish(),
});

const NO_PIX_KEY =
  "The account has no Pix key of its own: make one in Asaas under 'Pix', 'Minhas chaves' (a random key will do).";
const NO_FISCAL_INFO =
  "The account has no fiscal set-up: fill it in in Asaas under 'Notas fiscais', 'Configurações', with the access to the city's system.";
const NOT_APPROVED = 'Asaas has not approved the account yet: see what it asks for in its panel.';
const NOT_TAKEN = 'Asaas takes payments in Brazil alone.';

type Account = Pick<ConnectedProvider, 'inspectAccount' | 'readBalances'>;

export function createAccount(client: AsaasClient, log: Logger): Account {
  async function readBalances(signal: AbortSignal): Promise<Balance[]> {
    const read = await client.get('/finance/balance', balance, signal);
    return read ? [{ currency: 'BRL', amountMinor: toMinor(read.balance, 'BRL') }] : [];
  }

  async function pixReason(signal: AbortSignal): Promise<string | null> {
    for await (const { status } of client.list('/pix/addressKeys', { status: 'ACTIVE' }, pixKey, signal))
      if (status === 'ACTIVE') return null;
    return NO_PIX_KEY;
  }

  async function taxDocumentReason(signal: AbortSignal): Promise<string | null> {
    try {
      const info = await client.get('/fiscalInfo/', fiscalInfo, signal);
      const filled = Object.values(info ?? {}).some(
        (value) => value !== null && value !== undefined && value !== '',
      );
      return filled ? null : NO_FISCAL_INFO;
    } catch (error) {
      if (error instanceof AsaasRefusal && error.status === 400) return NO_FISCAL_INFO;
      throw error;
    }
  }

  /** Accounts that are not approved cannot send money. Where Asaas does not say so, a transfer will. */
  async function payoutReason(signal: AbortSignal): Promise<string | null> {
    try {
      const read = await client.get('/myAccount/status/', approval, signal);
      return read?.general && read.general !== 'APPROVED' ? NOT_APPROVED : null;
    } catch (error) {
      if (!(error instanceof ProviderRejected || error instanceof ProviderOutcomeUnknown) || signal.aborted)
        throw error;
      log.warn('Asaas does not say whether the account is approved', errorFields(error));
      return null;
    }
  }

  return {
    readBalances,
    async inspectAccount(signal) {
      const [balances, pix, taxDocument, payout] = await Promise.all([
        readBalances(signal),
        pixReason(signal),
        taxDocumentReason(signal),
        payoutReason(signal),
      ]);
      const capabilities: Capabilities = {
        pix,
        boleto: null,
        card: null,
        payout,
        tax_document: taxDocument,
        tax_document_cancellation: taxDocument ?? (await cancellationReason(client, log, signal)),
        ach_debit: NOT_TAKEN,
        sepa_debit: NOT_TAKEN,
        bank_transfer: NOT_TAKEN,
      };
      return { capabilities, balances };
    },
  };
}
