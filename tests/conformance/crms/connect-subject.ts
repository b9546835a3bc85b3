/** Accounts for the checks: made from credentials, for any address of the CRM. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectOptions, CrmDefinition, TokenStore } from '../../../shared/connectors/crms/crm.ts';
import { type CrmHttp, createCrmHttp } from '../../../shared/connectors/crms/crm-http.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { httpWithoutWaits } from '../../support/crms/http-without-waits.ts';
import type { Fact } from './facts.ts';
import { type Exchange, recording, type Subject, type VendorTools } from './subject.ts';
import { hubspotFacts, hubspotTools } from './vendors/hubspot.ts';
import { pipedriveFacts, pipedriveTools } from './vendors/pipedrive.ts';
import { rdStationFacts, rdStationTools } from './vendors/rd-station.ts';

type VendorOptions = Pick<ConnectOptions, 'credentials' | 'addresses' | 'http' | 'tokens'>;

const VENDORS: Readonly<
  Record<string, { tools(options: VendorOptions): VendorTools; facts(options: VendorOptions): Fact[] }>
> = {
  pipedrive: { tools: pipedriveTools, facts: pipedriveFacts },
  rd_station: { tools: rdStationTools, facts: rdStationFacts },
  hubspot: { tools: hubspotTools, facts: hubspotFacts },
};

export const vendorNames = Object.keys(VENDORS);

export interface SubjectOptions {
  credentials: ConnectOptions['credentials'];
  addresses: ConnectOptions['addresses'];
  /** Only for CRMs with OAuth. */
  tokens?: TokenStore | undefined;
  fields?: Subject['fields'];
  /** Where webhooks lead. By default to an address that does not exist. */
  callbackUrl?: string | undefined;
  received?: Subject['received'];
  later?: Subject['later'];
}

/** Not called: nothing changes at the CRM while webhooks lead there. */
const UNUSED_URL = 'https://example.com/placar';

const noTokens: TokenStore = {
  accessToken: () => Promise.reject(new Error('This CRM has no OAuth tokens.')),
};

export async function connectSubject(definition: CrmDefinition, options: SubjectOptions): Promise<Subject> {
  const { credentials, addresses, tokens = noTokens, fields = {}, callbackUrl = UNUSED_URL } = options;
  const { name, title } = definition;
  const vendor = VENDORS[name];
  if (!vendor) throw new Error(`There are no checks of ${name}.`);
  const crm = await definition.load();
  const exchanges: Exchange[] = [];
  const never = new AbortController().signal;
  const http = recording(createHttp(definition, addresses, never), exchanges, () => subject.until);
  const vendorOptions = { credentials, addresses, http, tokens };
  const tools = vendor.tools(vendorOptions);
  const run = randomBytes(4).toString('hex');
  const customKeys = { lead: keyOf(fields.lead), deal: keyOf(fields.deal) };
  const activityTypes = [tools.activityType];
  const subject: Subject = {
    ...{ name, title, crm, http, credentials, tools, fields, exchanges },
    facts: vendor.facts(vendorOptions),
    connect: (changes = {}) =>
      crm.connect({ ...vendorOptions, customKeys, activityTypes, log: silentLogger, ...changes }),
    // A person registers HubSpot's address before the run.
    webhookUrl: name === 'hubspot' ? callbackUrl : `${callbackUrl.replace(/\/+$/, '')}/${run}`,
    received: options.received,
    prefix: `Placar check ${run}`,
    later: options.later ?? (async (ms) => void (await sleep(ms, undefined, { signal: subject.until }))),
    until: never,
  };
  return subject;
}

const keyOf = (field: Subject['fields']['lead']): string[] => (field ? [field.key] : []);

/** Requests to fakes on this machine need no pauses. */
export function createHttp(
  definition: CrmDefinition,
  addresses: ConnectOptions['addresses'],
  signal: AbortSignal,
): CrmHttp {
  const isLocal = Object.keys(definition.addresses).some((name) => {
    const address = addresses[name] ?? '';
    return URL.canParse(address) && new URL(address).hostname === '127.0.0.1';
  });
  if (!isLocal) return createCrmHttp(definition, signal);
  return httpWithoutWaits(definition.title, signal);
}
