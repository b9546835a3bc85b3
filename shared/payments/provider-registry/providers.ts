// The providers of this deployment: the sandbox, and adapters for accounts, each loaded with the first account that needs it.
import { ApiError } from '../../platform/errors.ts';
import type { ConnectionOptions } from '../providers/connection.ts';
import type { ConnectedProvider, PaymentProvider, ProviderAccount } from '../providers/provider.ts';
import { SANDBOX } from '../providers/sandbox/rules.ts';

export interface Providers {
  /** Who has an order: the sandbox, or the provider of the account. Throws 501 for what is not here any more. */
  of(order: { provider: string }, account: ProviderAccount | null): Promise<PaymentProvider>;
  connect(account: ProviderAccount): Promise<ConnectedProvider>;
}

type Load = (account: ProviderAccount, options: ConnectionOptions) => Promise<ConnectedProvider>;

const adapters: Readonly<Record<ProviderAccount['provider'], Load>> = {
  asaas: async (account, options) =>
    (await import('../providers/asaas/provider.ts')).createAsaasProvider(account, options),
  wise: async (account, options) =>
    (await import('../providers/wise/provider.ts')).createWiseProvider(account, options),
  stripe: async (account, options) =>
    (await import('../providers/stripe/provider.ts')).createStripeProvider(account, options),
};

/** `sandbox` is absent in production. */
export function createProviders(sandbox: PaymentProvider | undefined, options: ConnectionOptions): Providers {
  const connect = (account: ProviderAccount) => adapters[account.provider](account, options);
  return {
    connect,
    async of({ provider: name }, account) {
      if (account) return await connect(account);
      if (name === SANDBOX && sandbox) return sandbox;
      const message = `The account at ${name} was disconnected, or ${name} is not set up here.`;
      throw new ApiError('provider_not_configured', message);
    },
  };
}
