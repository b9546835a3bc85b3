// An account at the fake of HubSpot, and our connection to it.
import { afterAll, beforeAll } from 'vitest';
import type { AccountOrder } from '../../../../local/crms/hubspot/controls.ts';
import { type Hubspot, startHubspot } from '../../../../local/crms/hubspot/index.ts';
import type { ConnectOptions, CrmConnection, RecordKind } from '../../../../shared/connectors/crms/crm.ts';
import type { CrmRequest } from '../../../../shared/connectors/crms/crm-http.ts';
import { hubspot } from '../../../../shared/connectors/crms/hubspot/index.ts';
import { silentLogger } from '../../../../shared/platform/logger.ts';
import { httpWithoutWaits } from '../../../support/crms/http-without-waits.ts';

const hub: { running?: Hubspot } = {};

/** The fake, which runs for the tests of this file. */
export function fakeOfThisFile(): void {
  beforeAll(async () => {
    hub.running = await startHubspot();
  });
  afterAll(() => hub.running?.stop());
}

export interface TestAccount {
  id: string;
  token: string;
  clientSecret: string | null;
  fake: Hubspot;
  /** Requests that were sent, with the intervals that they ask for. */
  sent: CrmRequest[];
  connect(options?: Partial<ConnectOptions>): Promise<CrmConnection>;
}

/** Requests are sent without waits, which the fake's limits allow. */
export async function createAccount(order: AccountOrder = {}): Promise<TestAccount> {
  const fake = hub.running;
  if (!fake) throw new Error('The fake is not running.');
  const options = { per10Seconds: 100_000, searchesPerSecond: 100_000, ...order.options };
  const account = await fake.control.createAccount({ ...order, options });
  const http = httpWithoutWaits('HubSpot');
  const sent: CrmRequest[] = [];
  return {
    ...account,
    fake,
    sent,
    async connect(given = {}) {
      const crm = await hubspot.load();
      return crm.connect({
        credentials: account.clientSecret
          ? { access_token: account.token, client_secret: account.clientSecret }
          : { service_key: account.token },
        addresses: { ...hubspot.addresses, HUBSPOT_URL: fake.url },
        customKeys: { lead: [], deal: [] },
        activityTypes: ['calls', 'meetings', 'emails', 'tasks'],
        http(request) {
          sent.push(request);
          return http(request);
        },
        tokens: { accessToken: () => Promise.reject(new Error('HubSpot has no refresh tokens.')) },
        log: silentLogger,
        ...given,
      });
    },
  };
}

/** Not aborted within a test. */

/** All pages, each read with a new connection as another worker would. */
export async function listAll<K extends RecordKind>(
  connect: () => Promise<CrmConnection>,
  kind: K,
  since: string | null = null,
) {
  const pages: Awaited<ReturnType<typeof page>>['records'][] = [];
  const page = async (cursor: string | null) => (await connect()).list(kind, { since, cursor });
  let cursor: string | null = null;
  do {
    const { records, next } = await page(cursor);
    pages.push(records);
    cursor = next;
  } while (cursor !== null);
  return pages;
}
