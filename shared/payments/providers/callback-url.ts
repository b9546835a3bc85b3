// Our webhooks at providers: their URL, and how they are recognized.
import type { ProviderAccount, WebhookOrder } from './accounts.ts';

const PATH = '/callbacks/providers/';

/** The webhook of an account. `email`: contact address for notices about it. */
export const webhookOf = (
  functionsUrl: string,
  account: ProviderAccount & { webhookReference: string | null },
  email: string,
): WebhookOrder => ({
  url: `${functionsUrl}${PATH}${account.provider}/${account.id}`,
  secret: account.webhookSecret ?? '',
  email,
  reference: account.webhookReference ?? undefined,
});

/**
 * Whether two callback URLs belong to the same account. Its id is unique, so a webhook with another base URL is ours as well: the
 * functions' URL changed, or the tenant moved to another project.
 */
export const isSameCallback = (one: string, other: string): boolean =>
  one === other || pathOf(one) === pathOf(other);

const pathOf = (url: string): string => url.slice(Math.max(0, url.lastIndexOf(PATH)));
