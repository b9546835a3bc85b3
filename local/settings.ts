// Settings of the functions in a local stack. Each function receives those of its groups.
import { type SettingGroup, settingErrors, settings } from '../shared/platform/env.ts';
import type { Secrets } from './secrets.ts';
import { StartError } from './start-error.ts';

interface StackAddresses {
  /** URL of the gateway. */
  url: string;
  /** URL of the database, with the login of the functions. */
  databaseUrl: string;
  secrets: Secrets;
}

export function functionSettings({ url, databaseUrl, secrets }: StackAddresses): Record<string, string> {
  return {
    APP_ENV: 'staging',
    LOG_LEVEL: 'info',
    SUPABASE_URL: url,
    SUPABASE_DB_URL: databaseUrl,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: secrets.supabasePublishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: secrets.supabaseSecretKey }),
    FUNCTIONS_URL: `${url}/functions/v1`,
    // The issuer of Auth's access tokens.
    AUTH_ISSUER: `${url}/auth/v1`,
    OAUTH_SIGNING_KEY: secrets.oauthSigningKey,
    SANDBOX_NOTIFICATION_TOKEN: secrets.sandboxNotificationToken,
    // The console's payer page.
    SANDBOX_CHECKOUT_URL: `${url}/pay`,
    SWEEP_TOKEN: secrets.sweepToken,
    METRICS_TOKEN: secrets.metricsToken,
    // The stack's inbox uses http on loopback.
    ALLOW_INSECURE_WEBHOOKS: 'true',
    RESEND_API_KEY: 're_local',
    MAIL_FROM: 'Placar <no-reply@placar.local>',
  };
}

/** Settings that can be overridden. URLs and keys of the stack's parts cannot. */
const ENVIRONMENT_OVERRIDES =
  /^(WEBHOOK_|SANDBOX_|OTEL_|MCP_|(DATABASE_POOLER|DATABASE_CA|DATABASE_POOL_SIZE|DATABASE_TENANT_CONNECTIONS|DATABASE_READ_TIMEOUT_MS|DATABASE_TIMEOUT_MS|REDIS_TIMEOUT_MS|METRICS_TOKEN|SWEEP_MAX_JOBS|LOG_LEVEL|UNKNOWN_CALLER_ROWS|ALLOW_INSECURE_WEBHOOKS|CONSOLE_URL)$)/;

/** Function settings from the environment of `npm start`. */
export function settingsFromEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      (ENVIRONMENT_OVERRIDES.test(name) ||
        Object.hasOwn({ ...settings.providers, ...settings.crms }, name)) &&
      value
        ? [[name, value]]
        : [],
    ),
  );
}

/** Throws a {@link StartError} that names the malformed settings in the environment of `npm start`. */
export function checkSettingsFromEnvironment(): void {
  const given = settingsFromEnvironment();
  const faults = settingErrors(...(Object.keys(settings) as SettingGroup[])).filter(
    ({ name }) => name in given,
  );
  const lines = new Set(faults.map(({ name, fault }) => `  ${name}: ${fault}`));
  if (lines.size > 0)
    throw new StartError(`Settings in the environment are malformed:\n${[...lines].join('\n')}`);
}
