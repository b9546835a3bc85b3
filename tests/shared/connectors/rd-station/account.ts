// An account of the fake of RD Station CRM, connected as the engine connects it.
import type { AccountOrder } from '../../../../local/crms/rd-station/controls.ts';
import type { RdStation } from '../../../../local/crms/rd-station/index.ts';
import type {
  ConnectOptions,
  CrmConnection,
  CrmRecords,
  ListOptions,
  Page,
  RecordKind,
  TokenStore,
} from '../../../../shared/connectors/crms/crm.ts';
import { rdStationCrm } from '../../../../shared/connectors/crms/rd-station/adapter.ts';
import { silentLogger } from '../../../../shared/platform/logger.ts';
import { httpWithoutWaits } from '../../../support/crms/http-without-waits.ts';

/** Keeps tokens in memory. An access token is used until the adapter's request is refused. */
export function tokenStore(refreshToken: string): TokenStore & { refreshToken: string; refreshes: number } {
  let access: Promise<string> | undefined;
  const store = {
    refreshToken,
    refreshes: 0,
    accessToken(refresh: Parameters<TokenStore['accessToken']>[0], rejected?: string) {
      if (rejected !== undefined) access = undefined;
      access ??= refresh(store.refreshToken).then((tokens) => {
        store.refreshToken = tokens.refreshToken;
        store.refreshes += 1;
        return tokens.accessToken;
      });
      return access;
    },
  };
  return store;
}

const http = httpWithoutWaits('RD Station CRM');

export const addressesOf = (url: string) => ({
  RD_STATION_URL: `${url}/crm/v2`,
  RD_STATION_TOKEN_URL: `${url}/oauth2/token`,
});

/** Options for a server at `url` that accepts any access token. */
export const optionsFor = (url: string, changes: Partial<ConnectOptions> = {}): ConnectOptions => ({
  credentials: { client_id: 'app', client_secret: 'secret' },
  addresses: addressesOf(url),
  customKeys: { lead: [], deal: [] },
  activityTypes: ['task:call', 'task:meeting'],
  http,
  tokens: { accessToken: async () => 'token' },
  log: silentLogger,
  ...changes,
});

export async function connectAccount(
  rd: RdStation,
  changes: Partial<ConnectOptions> = {},
  order: AccountOrder = {},
) {
  const account = await rd.control.createAccount({ options: { requestsPerMinute: 100_000 }, ...order });
  const tokens = tokenStore(account.refreshToken);
  const options = optionsFor(rd.url, {
    credentials: { client_id: account.clientId, client_secret: account.clientSecret },
    tokens,
    ...changes,
  });
  return { ...account, tokens, options, connection: rdStationCrm.connect(options) };
}

/** All records of a list, with what `between` does after each page. */
export async function listAll<K extends RecordKind>(
  connection: CrmConnection,
  kind: K,
  options: Partial<ListOptions> & { between?: (page: number) => Promise<unknown> } = {},
): Promise<CrmRecords[K][]> {
  const { since = null, between } = options;
  const records: CrmRecords[K][] = [];
  let cursor = options.cursor ?? null;
  for (let page = 1; ; page++) {
    const { records: some, next }: Page<CrmRecords[K]> = await connection.list(kind, { since, cursor });
    records.push(...some);
    if (next === null) return records;
    if (next.length > 100_000) throw new Error(`a cursor of ${next.length} characters`);
    cursor = next;
    await between?.(page);
  }
}
