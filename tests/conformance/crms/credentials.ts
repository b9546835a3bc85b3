/** Credentials of accounts from environment variables, and RD Station's authorization in a browser. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import type {
  Authorization,
  ConnectOptions,
  TokenStore,
  Tokens,
} from '../../../shared/connectors/crms/crm.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Environment variables by member of the credentials. The first set that is complete is used. */
const VARIABLES: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  pipedrive: [{ domain: 'PIPEDRIVE_DOMAIN', api_token: 'PIPEDRIVE_API_TOKEN' }],
  rd_station: [{ client_id: 'RD_STATION_CLIENT_ID', client_secret: 'RD_STATION_CLIENT_SECRET' }],
  hubspot: [
    { access_token: 'HUBSPOT_ACCESS_TOKEN', client_secret: 'HUBSPOT_CLIENT_SECRET' },
    { service_key: 'HUBSPOT_SERVICE_KEY' },
  ],
};

/** The credentials; a text that names the missing variables if there are none. */
export function readCredentials(crm: string, env: Environment): ConnectOptions['credentials'] | string {
  const sets = VARIABLES[crm] ?? [];
  for (const variables of sets) {
    const entries = Object.entries(variables).map(([member, name]) => [member, env[name] ?? '']);
    if (entries.every(([, value]) => value !== '')) return Object.fromEntries(entries);
  }
  return `Set ${sets.map((variables) => Object.values(variables).join(' and ')).join(', or ')}.`;
}

/**
 * Keeps access tokens in memory, and the refresh token in a file: it can be used only once, and each use returns the next one.
 *
 * @param authorize returns the first tokens, if there is no file
 */
export function fileTokenStore(file: string | undefined, authorize: () => Promise<Tokens>): TokenStore {
  let current: { token: string; untilMs: number; refreshToken: string } | undefined;
  let pending: Promise<string> | undefined;
  const keep = ({ accessToken: token, refreshToken, expiresInSeconds }: Tokens): string => {
    if (file !== undefined) writeFileSync(file, `${refreshToken}\n`, { mode: 0o600 });
    current = { token, refreshToken, untilMs: Date.now() + (expiresInSeconds - 60) * 1000 };
    return token;
  };
  async function renew(refresh: (refreshToken: string) => Promise<Tokens>): Promise<string> {
    const saved = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    const refreshToken = current?.refreshToken ?? saved;
    return keep(await (refreshToken === '' ? authorize() : refresh(refreshToken)));
  }
  return {
    accessToken(refresh) {
      if (current && current.untilMs > Date.now()) return Promise.resolve(current.token);
      pending ??= renew(refresh).finally(() => {
        pending = undefined;
      });
      return pending;
    },
  };
}

/** Prints the page on which a person agrees, and reads the address that it leads to from standard input. */
export async function authorizeInBrowser(
  { pageUrl, exchange }: Authorization,
  options: Parameters<Authorization['exchange']>[1],
  redirectUri: string,
  signal: AbortSignal,
): Promise<Tokens> {
  const state = randomUUID();
  const clientId = options.credentials.client_id ?? '';
  console.log('Open this page and agree. Then paste the address that the browser shows:');
  console.log(pageUrl({ clientId, redirectUri, state, addresses: options.addresses }));
  const lines = createInterface({ input: process.stdin });
  const answer = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    lines.once('close', () => reject(new Error('no address was pasted')));
    signal.addEventListener('abort', () => reject(new Error('interrupted')), { once: true });
  }).finally(() => lines.close());
  if (!URL.canParse(answer.trim())) throw new Error('what was pasted is not an address');
  const { searchParams } = new URL(answer.trim());
  const code = searchParams.get('code');
  if (!code || searchParams.get('state') !== state)
    throw new Error('the address has no code, or is not the one of this authorization');
  return await exchange({ code, redirectUri }, options);
}
