// Reads the capabilities and the balance of an Asaas account.
import { z } from 'zod';
import { errorFields, type Logger } from '../../../platform/logger.ts';
import { toMinorUnits } from '../../formats/currencies.ts';
import type { AccountReport, Capabilities } from '../accounts.ts';
import { ProviderOutcomeUnknown, ProviderRejected } from '../errors.ts';
import type { Balance } from '../order-report.ts';
import { type AsaasClient, AsaasRejected } from './client.ts';

const balance = z.object({ balance: z.number() });
const pixKey = z.object({ status: z.string().nullish() });
const approval = z.object({ general: z.string().nullish() });
/** Every municipality requires at least one of these fields. */
const fiscalInfo = z.object({
  email: z.string().nullish(),
  municipalInscription: z.string().nullish(),
  simplesNacional: z.boolean().nullish(),
  cnae: z.string().nullish(),
  rpsSerie: z.string().nullish(),
});
/** Unconfirmed: Asaas documents this only for the request that switches it. */
const portal = z.object({ useNationalPortal: z.boolean().nullish().catch(null) });

const NO_PIX_KEY =
  "The account has no PIX key. Create one in Asaas under 'Pix', 'Minhas chaves' (a random key is sufficient).";
const NO_FISCAL_INFO =
  "The account has no fiscal settings. Complete them in Asaas under 'Notas fiscais', 'Configurações', including the municipal login.";
const NOT_APPROVED =
  'Asaas has not approved the account yet. Check the pending requirements in the Asaas dashboard.';
const BRAZIL_ONLY = 'Asaas accepts payments only in Brazil.';

export async function readBalances(client: AsaasClient): Promise<Balance[]> {
  const read = await client.get('/finance/balance', balance);
  return read ? [{ currency: 'BRL', amountMinor: toMinorUnits(read.balance, 'BRL') }] : [];
}

export async function inspectAccount(client: AsaasClient, log: Logger): Promise<AccountReport> {
  const [balances, pix, { reason: taxDocument, ...fiscal }, payout] = await Promise.all([
    readBalances(client),
    pixReason(client),
    readFiscal(client),
    payoutReason(client, log),
  ]);
  const capabilities: Capabilities = {
    pix,
    boleto: null,
    card: null,
    payout,
    tax_document: taxDocument,
    tax_document_cancellation: taxDocument ?? (await cancellationReason(client, log)),
    ach_debit: BRAZIL_ONLY,
    sepa_debit: BRAZIL_ONLY,
    bank_transfer: BRAZIL_ONLY,
  };
  return { capabilities, balances, fiscal };
}

async function pixReason(client: AsaasClient): Promise<string | null> {
  for await (const { status } of client.list('/pix/addressKeys', { status: 'ACTIVE' }, pixKey))
    if (status === 'ACTIVE') return null;
  return NO_PIX_KEY;
}

type Fiscal = NonNullable<AccountReport['fiscal']> & { reason: string | null };

/** Fiscal settings, and why the account cannot issue tax documents. */
async function readFiscal(client: AsaasClient): Promise<Fiscal> {
  const missing = { reason: NO_FISCAL_INFO, regime: 'unknown', nationalPortal: null } as const;
  try {
    const read = await client.get('/fiscalInfo/', fiscalInfo.and(portal));
    if (!read) return missing;
    const { useNationalPortal, ...info } = read;
    const filled = Object.values(info).some((value) => value !== null && value !== undefined && value !== '');
    const { simplesNacional: isSimples } = info;
    return {
      reason: filled ? null : NO_FISCAL_INFO,
      regime: typeof isSimples === 'boolean' ? (isSimples ? 'simples' : 'normal') : 'unknown',
      nationalPortal: useNationalPortal ?? null,
    };
  } catch (error) {
    if (error instanceof AsaasRejected && error.status === 400) return missing;
    throw error;
  }
}

/** Accounts that are not approved cannot send money. If the status is unavailable, the first transfer reports the problem. */
async function payoutReason(client: AsaasClient, log: Logger): Promise<string | null> {
  try {
    const read = await client.get('/myAccount/status/', approval);
    return read?.general && read.general !== 'APPROVED' ? NOT_APPROVED : null;
  } catch (error) {
    rethrowUnlessUnavailable(error, client);
    log.warn('Asaas account status unavailable', errorFields(error));
    return null;
  }
}

const municipalOptions = z.object({ supportsCancellation: z.boolean().nullish() });

/** Why the municipality does not support cancellations through Asaas; null if it does or if Asaas does not know. */
export async function cancellationReason(client: AsaasClient, log: Logger): Promise<string | null> {
  try {
    const options = await client.get('/fiscalInfo/municipalOptions', municipalOptions);
    if (options?.supportsCancellation !== false) return null;
    return "The municipality does not support cancellations through Asaas. Cancel the document in the municipality's system.";
  } catch (error) {
    rethrowUnlessUnavailable(error, client);
    log.warn('Asaas municipal options unavailable', errorFields(error));
    return null;
  }
}

function rethrowUnlessUnavailable(error: unknown, { signal }: AsaasClient): void {
  const isUnavailable = error instanceof ProviderRejected || error instanceof ProviderOutcomeUnknown;
  if (!isUnavailable || signal.aborted) throw error;
}
