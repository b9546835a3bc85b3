// Starts the fakes of Asaas, Wise and Stripe, and connects the demo tenant to them.
import { join } from 'node:path';
import type postgres from 'postgres';
import { type Secrets, saveSecrets } from '../secrets.ts';
import { type Asaas, startAsaas } from './asaas/index.ts';
import { type Stripe, startStripe } from './stripe/index.ts';
import { startWise, type Wise } from './wise/index.ts';

export interface RunningProviders {
  asaas: Asaas;
  wise: Wise;
  stripe: Stripe;
  /** Settings for the functions. */
  settings: Record<string, string>;
}

/** Starts all three. `dir` is the folder for their state. */
export async function startProviders(
  dir: string,
  onStop: (end: () => Promise<unknown>) => void,
): Promise<RunningProviders> {
  const stateDir = join(dir, 'providers');
  const asaas = await startAsaas({ stateDir });
  onStop(() => asaas.stop());
  const wise = await startWise({ stateDir });
  onStop(() => wise.stop());
  const stripe = await startStripe({ stateDir });
  onStop(() => stripe.stop());
  const settings = {
    ASAAS_URL: asaas.url,
    WISE_URL: wise.url,
    WISE_PUBLIC_KEY: wise.publicKey,
    STRIPE_URL: stripe.url,
  };
  return { asaas, wise, stripe, settings };
}

const ASAAS_SETTINGS = {
  municipal_service_code: '1.01',
  municipal_service_name: 'Software development',
  taxes: { retainIss: false, iss: 2, pis: 0, cofins: 0, csll: 0, inss: 0, ir: 0 },
};

/** Connects the demo tenant to its own accounts, which are created on the first start in a folder. */
export async function connectDemoTenant(
  { asaas, wise, stripe }: RunningProviders,
  { sql, tenantId, dir, secrets }: { sql: postgres.Sql; tenantId: string; dir: string; secrets: Secrets },
): Promise<void> {
  if (!secrets.demoProviders) {
    const [atAsaas, atWise, atStripe] = await Promise.all([
      asaas.control.createAccount({ balance: 10_000 }),
      wise.control.createAccount({ balances: { EUR: 10_000, USD: 10_000 } }),
      stripe.control.createAccount({ country: 'US', currency: 'usd' }),
    ]);
    secrets.demoProviders = {
      asaasKey: atAsaas.apiKey,
      asaasAccount: atAsaas.id,
      wiseToken: atWise.token,
      wiseProfile: atWise.profile,
      stripeKey: atStripe.apiKey,
    };
    await saveSecrets(dir, secrets);
  }
  const { asaasKey, asaasAccount, wiseToken, wiseProfile, stripeKey } = secrets.demoProviders;
  const [connected] = await sql`
    select admin.connect_asaas(${tenantId}, ${asaasKey}, ${sql.json(ASAAS_SETTINGS)}) as asaas,
           admin.connect_wise(${tenantId}, ${wiseToken}, ${sql.json({ profile_id: wiseProfile, source_currency: 'EUR' })}),
           admin.connect_stripe(${tenantId}, ${stripeKey})`;
  // Asaas requires this setting; without it all transfers wait for a confirmation code.
  const [approvals] = await sql`
    select url || '/callbacks/providers/asaas/' || ${connected?.asaas} || '/approvals' as address, token
    from admin.new_withdrawal_token(${connected?.asaas}),
         (select regexp_replace(sweep_url, '/callbacks/sweep$', '') as url from private.deployment) as deployment`;
  await asaas.control.withdrawalValidation(asaasAccount, {
    url: approvals?.address,
    authToken: approvals?.token,
  });
}
