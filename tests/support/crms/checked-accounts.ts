/** Accounts at fakes of CRMs, for the checks of adapters (`tests/conformance/crms/`). */
import { startHubspot } from '../../../local/crms/hubspot/index.ts';
import { startPipedrive } from '../../../local/crms/pipedrive/index.ts';
import { startRdStation } from '../../../local/crms/rd-station/index.ts';
import type { CommonControls } from '../../../local/fakes/fake.ts';
import type { CrmDefinition, TokenStore } from '../../../shared/connectors/crms/crm.ts';
import { hubspot } from '../../../shared/connectors/crms/hubspot/index.ts';
import { pipedrive } from '../../../shared/connectors/crms/pipedrive/index.ts';
import { rdStation } from '../../../shared/connectors/crms/rd-station/index.ts';
import type { SubjectOptions } from '../../conformance/crms/connect-subject.ts';
import type { RecordName } from '../../conformance/crms/subject.ts';

/** An account without records, with a custom field of contacts and one of deals. */
export interface CheckedAccount {
  definition: CrmDefinition;
  /** Of the fake. */
  id: string;
  options: Pick<SubjectOptions, 'credentials' | 'addresses' | 'tokens'> &
    Required<Pick<SubjectOptions, 'fields'>>;
  /** As `npm run check:crm` takes them. */
  env: Record<string, string>;
  /** Adds contacts as a person does. */
  addContacts(count: number): Promise<unknown>;
  /** Deletes a record as a person does. */
  remove(kind: RecordName, id: string): Promise<unknown>;
  /** How many contacts, deals, activities and webhooks there are. */
  count(): Promise<number>;
}

export interface CheckedCrm {
  control: Pick<
    { [K in keyof CommonControls]: (...given: Parameters<CommonControls[K]>) => Promise<unknown> },
    'advance' | 'fault' | 'clearFaults'
  >;
  stop(): Promise<void>;
  createAccount(): Promise<CheckedAccount>;
  /** Sets up webhooks as a person does, if the CRM needs one. */
  setUpWebhooks?(account: string, setup: string): Promise<unknown>;
}

const names = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `Person ${index}` }));
const fields = (lead: string, deal: string) => ({
  lead: { key: lead, value: 'blue' },
  deal: { key: deal, value: 42 },
});

export async function checkedPipedrive(): Promise<CheckedCrm> {
  const { url, control, stop } = await startPipedrive();
  const kinds = { lead: 'persons', deal: 'deals', activity: 'activities' } as const;
  return {
    ...{ control, stop },
    async createAccount() {
      const options = { burst: 100_000, daily: 10_000_000 };
      const { id, domain, apiToken } = await control.createAccount({ options });
      const lead = await control.addField(id, 'persons', { name: 'Color', type: 'varchar' });
      const deal = await control.addField(id, 'deals', { name: 'Seats', type: 'double' });
      const credentials = { domain, api_token: apiToken };
      return {
        ...{ definition: pipedrive, id },
        options: { credentials, addresses: { PIPEDRIVE_URL: url }, fields: fields(lead.key, deal.key) },
        env: { PIPEDRIVE_DOMAIN: domain, PIPEDRIVE_API_TOKEN: apiToken, PIPEDRIVE_URL: url },
        addContacts: (count) => control.addMany(id, 'persons', names(count)),
        remove: (kind, record) => control.remove(id, kinds[kind], record),
        async count() {
          const { rows, webhooks } = await control.account(id, 'rows', 'webhooks');
          return Object.values(kinds).flatMap((kind) => rows[kind]).length + webhooks.length;
        },
      };
    },
  };
}

/** Keeps tokens in memory. */
function tokenStore(refreshToken: string): TokenStore {
  let access: Promise<string> | undefined;
  return {
    accessToken(refresh) {
      access ??= refresh(refreshToken).then(({ accessToken }) => accessToken);
      return access;
    },
  };
}

export async function checkedRdStation(): Promise<CheckedCrm> {
  const { url, control, stop } = await startRdStation();
  const kinds = { lead: 'contacts', deal: 'deals', activity: 'tasks' } as const;
  return {
    ...{ control, stop },
    async createAccount() {
      const made = await control.createAccount({ options: { requestsPerMinute: 100_000 } });
      const { id, clientId, clientSecret, refreshToken } = made;
      await control.add(id, 'custom_fields', { slug: 'color', type: 'text', entity: 'contact' });
      await control.add(id, 'custom_fields', { slug: 'seats', type: 'text', entity: 'deal' });
      const addresses = { RD_STATION_URL: `${url}/crm/v2`, RD_STATION_TOKEN_URL: `${url}/oauth2/token` };
      return {
        ...{ definition: rdStation, id },
        options: {
          credentials: { client_id: clientId, client_secret: clientSecret },
          ...{ addresses, tokens: tokenStore(refreshToken), fields: fields('color', 'seats') },
        },
        env: { ...addresses, RD_STATION_CLIENT_ID: clientId, RD_STATION_CLIENT_SECRET: clientSecret },
        addContacts: (count) => control.addMany(id, 'contacts', names(count)),
        remove: (kind, record) => control.remove(id, kinds[kind], record),
        async count() {
          const { rows, webhooks } = await control.account(id, 'rows', 'webhooks');
          return Object.values(kinds).flatMap((kind) => rows[kind]).length + webhooks.length;
        },
      };
    },
  };
}

export async function checkedHubspot(): Promise<CheckedCrm> {
  const { url, control, stop } = await startHubspot();
  const kinds = { lead: 'contacts', deal: 'deals', activity: 'tasks' } as const;
  return {
    ...{ control, stop, setUpWebhooks: control.configureWebhooks },
    async createAccount() {
      const options = { per10Seconds: 100_000, searchesPerSecond: 100_000 };
      const { id, token, clientSecret } = await control.createAccount({ options });
      await control.addProperty(id, 'contacts', { name: 'color', type: 'string' });
      await control.addProperty(id, 'deals', { name: 'seats', type: 'number' });
      const credentials = { access_token: token, client_secret: clientSecret ?? '' };
      return {
        ...{ definition: hubspot, id },
        options: {
          ...{ credentials, fields: fields('color', 'seats') },
          addresses: { ...hubspot.addresses, HUBSPOT_URL: url },
        },
        env: { HUBSPOT_ACCESS_TOKEN: token, HUBSPOT_CLIENT_SECRET: clientSecret ?? '', HUBSPOT_URL: url },
        addContacts: (count) =>
          control.addMany(
            id,
            'contacts',
            names(count).map(({ name }) => ({ firstname: name })),
          ),
        remove: (kind, record) => control.remove(id, kinds[kind], record.replace('tasks:', '')),
        async count() {
          const { rows } = await control.account(id, 'rows');
          return Object.values(kinds).flatMap((kind) => rows[kind]).length;
        },
      };
    },
  };
}
