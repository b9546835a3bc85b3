// The pay link of an invoice that is paid on a provider's page: redirects to the page, and makes a new one if it has expired.
import { type Database, oneRow, WORKER_SESSION } from '../../platform/db/database.ts';
import { errorFields, type Logger } from '../../platform/logger.ts';
import { isToken } from '../artifacts/file-paths.ts';
import { providerNamed } from '../provider-registry/registry.ts';
import type { ChargeOrder, PagePort } from '../providers/charge-port.ts';
import { isRejection } from '../providers/errors.ts';
import type { Providers } from '../providers/provider.ts';
import { payerMustRetry } from '../requests/errors.ts';
import { chargeOrderOf } from './order.ts';
import {
  claimCheckoutSession,
  type InvoiceRow,
  selectInvoiceByToken,
  storeCheckoutSession,
} from './queries.ts';

/** `key` identifies the link for rate limiting. */
interface PayLink {
  key: string;
  open(checkOnly: boolean): Promise<PayLinkResponse>;
}

type PayLinkResponse = { location: string } | { status: 200 | 410; text: string };

interface Options {
  database: Database;
  providers: Providers;
  log: Logger;
}

const ASK_TIMEOUT_MS = 10_000;
/** While a request makes a page. Longer than the provider's timeout. */
const LEASE_SECONDS = 20;
const WAIT_MS = 250;
const MAX_WAIT_MS = 12_000;

const TEXTS = {
  paid: 'This invoice is paid. Esta cobrança está paga.',
  in_transit: 'This payment is being processed. Este pagamento está em processamento.',
  over: 'This invoice can no longer be paid. Esta cobrança não pode mais ser paga.',
  expired: 'Open this link to pay. Abra este link para pagar.',
} as const;

const page = (status: 200 | 410, text: keyof typeof TEXTS): PayLinkResponse => ({
  status,
  text: TEXTS[text],
});

/** Undefined for an unknown token, and for invoices whose provider has pages of its own that do not expire. */
export async function findPayLink(token: string, options: Options): Promise<PayLink | undefined> {
  if (!isToken(token)) return undefined;
  const { database } = options;
  const [found] = await database.transaction(WORKER_SESSION, (sql) => selectInvoiceByToken(sql, token));
  if (!found || !providerNamed(found.row.provider)?.pagesExpire) return undefined;
  const { row, account } = found;
  return {
    key: row.id,
    async open(checkOnly) {
      const settled = settledPage(row);
      if (settled) return settled;
      try {
        const { charges } = await options.providers.of(row, account);
        if (!charges?.pages) return page(410, 'over');
        return await openPage(row, charges.pages, checkOnly, options);
      } catch (error) {
        options.log.warn('payment page unavailable', errorFields(error));
        throw payerMustRetry('The payment page is unavailable at the moment.', error);
      }
    },
  };
}

/** The response for an invoice that is not open. */
function settledPage({ status, expires_at: expiresAt, payment_method: method }: InvoiceRow) {
  if (status === 'paid') return paidPage(method.return_url);
  return status !== 'open' || Date.parse(expiresAt) <= Date.now() ? page(410, 'over') : undefined;
}

const paidPage = (returnUrl: string | undefined): PayLinkResponse =>
  // A header contains a URL only in its ASCII form.
  returnUrl === undefined ? page(200, 'paid') : { location: new URL(returnUrl).href };

async function openPage(
  row: InvoiceRow,
  pages: PagePort,
  checkOnly: boolean,
  options: Options,
): Promise<PayLinkResponse> {
  const order = chargeOrderOf(row);
  const present = await pages.read(order, AbortSignal.timeout(ASK_TIMEOUT_MS));
  switch (present.status) {
    case 'open':
      return { location: present.url };
    case 'paid':
      return paidPage(row.payment_method.return_url);
    case 'in_transit':
      return page(200, 'in_transit');
    case 'expired':
      return checkOnly ? page(200, 'expired') : await newPage(row, order, pages, options);
  }
}

/** Makes the next page, or waits for the request that makes it. */
async function newPage(
  row: InvoiceRow,
  order: ChargeOrder,
  pages: PagePort,
  { database }: Options,
): Promise<PayLinkResponse> {
  const session = { role: 'worker', tenantId: row.tenant_id } as const;
  const last = row.checkout_sessions?.at(-1);
  const n = last?.claimed_until ? last.n : (last?.n ?? 1) + 1;
  for (let waitedMs = 0; waitedMs < MAX_WAIT_MS; waitedMs += WAIT_MS) {
    const { claim } = oneRow(
      await database.transaction(session, (sql) => claimCheckoutSession(sql, row.id, n, LEASE_SECONDS)),
    );
    if (claim.state === 'over') return page(410, 'over');
    if (claim.state === 'made') return { location: claim.url };
    if (claim.state === 'claimed') {
      const store = (made: { reference: string; url: string } | undefined) =>
        database.transaction(session, (sql) => storeCheckoutSession(sql, row.id, n, made));
      const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
      const made = await pages
        .renew(order, { n, madeAt: new Date(claim.madeAt) }, signal)
        .catch(async (error: unknown) => {
          // No page was created, so the next request can create one.
          if (isRejection(error)) await store(undefined);
          throw error;
        });
      const { is_open: isOpen } = oneRow(await store(made));
      // Otherwise the job of the invoice's end closes the page.
      return isOpen ? { location: made.url } : page(410, 'over');
    }
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  throw new Error('another request makes the page');
}
