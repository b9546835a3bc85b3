// `npm run check:crm -- pipedrive`: tries the adapter of a CRM with a real test account. It creates records whose names begin with
// "Placar check", removes them at the end, also after an error or Ctrl-C, and prints what differs from what the adapter assumes.
import { parseArgs } from 'node:util';
import type { CrmDefinition, CustomValue, TokenStore } from '../../shared/connectors/crms/crm.ts';
import { addressesOf, crmNamed } from '../../shared/connectors/registry.ts';
import { readEnv } from '../../shared/platform/env.ts';
import { connectSubject, createHttp } from './crms/connect-subject.ts';
import { authorizeInBrowser, fileTokenStore, readCredentials } from './crms/credentials.ts';
import { printReport } from './crms/print-report.ts';
import { startReceiver } from './crms/receiver.ts';
import { checkCrm } from './crms/run.ts';
import { MANY_CONTACTS, type MappedField } from './crms/subject.ts';

const USAGE = `npm run check:crm -- pipedrive|rd_station|hubspot [options]

  --yes                   also if the account has more than ${MANY_CONTACTS} contacts
  --lead-field KEY=VALUE  a custom field of contacts and a value to write: Pipedrive's key, RD Station's slug, HubSpot's property
  --deal-field KEY=VALUE  the same of deals
  --callback-url URL      where webhooks lead, such as a tunnel to this machine; HubSpot needs the address that its app has
  --listen PORT           receives webhooks on this port of 127.0.0.1, to which the URL leads

Credentials are environment variables:

  pipedrive   PIPEDRIVE_DOMAIN (acme of acme.pipedrive.com), PIPEDRIVE_API_TOKEN
  hubspot     HUBSPOT_ACCESS_TOKEN and HUBSPOT_CLIENT_SECRET of an app, or HUBSPOT_SERVICE_KEY
  rd_station  RD_STATION_CLIENT_ID, RD_STATION_CLIENT_SECRET, and RD_STATION_REDIRECT_URL, which the app has registered: the command
              prints a page to agree on and reads the address that it leads to. RD_STATION_TOKEN_FILE names a file for the refresh
              token, which is replaced at each use: with it, later runs need no browser

RD Station's API deletes no contacts, deals and tasks: the command prints what a person has to remove.
PIPEDRIVE_URL, RD_STATION_URL, RD_STATION_TOKEN_URL, HUBSPOT_URL, HUBSPOT_VERSION: where it answers; the vendor by default.`;

/** Shorter credentials are names, such as the domain at Pipedrive. */
const MIN_SECRET_LENGTH = 16;

const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => {
    if (!interruption.signal.aborted) console.error('Interrupted: removing what was created ...');
    interruption.abort();
  });

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return 1;
});

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      yes: { type: 'boolean', default: false },
      'lead-field': { type: 'string' },
      'deal-field': { type: 'string' },
      'callback-url': { type: 'string' },
      listen: { type: 'string' },
    },
  });
  const definition = positionals.length === 1 ? crmNamed(positionals[0] ?? '') : undefined;
  if (!definition) return refuse(USAGE);
  const { name, title } = definition;
  const credentials = readCredentials(name, process.env);
  if (typeof credentials === 'string') return refuse(credentials);
  const { listen, 'callback-url': callbackUrl } = values;
  if (listen !== undefined && callbackUrl === undefined) return refuse('--listen needs --callback-url.');
  // Staging: addresses of fakes are allowed.
  process.env.APP_ENV = 'staging';
  const addresses = addressesOf(readEnv('app', 'crms'));
  const receiver = listen === undefined ? undefined : await startReceiver(Number(listen));
  try {
    const lead = readField(values['lead-field']);
    const deal = readField(values['deal-field']);
    const subject = await connectSubject(definition, {
      ...{ credentials, addresses, callbackUrl, received: receiver?.received },
      fields: { ...(lead && { lead }), ...(deal && { deal }) },
      tokens: await tokensOf(definition, { credentials, addresses }),
    });
    if (!values.yes && (await subject.tools.hasManyContacts()))
      return refuse(
        `The account has more than ${MANY_CONTACTS} contacts. Use a test account, or --yes to check this one.`,
      );
    console.log(`Checking ${title}. The names of created records begin with "${subject.prefix}".\n`);
    const report = await checkCrm(subject, interruption.signal);
    const secrets = Object.values(credentials).filter((value) => value.length >= MIN_SECRET_LENGTH);
    const isOk = printReport(report, secrets);
    return interruption.signal.aborted ? 130 : isOk ? 0 : 1;
  } finally {
    receiver?.close();
  }
}

/** Tokens of CRMs whose accounts are authorized in a browser. */
async function tokensOf(
  definition: CrmDefinition,
  options: { credentials: Record<string, string>; addresses: Record<string, string> },
): Promise<TokenStore | undefined> {
  const { authorization } = await definition.load();
  if (!authorization) return undefined;
  const { RD_STATION_TOKEN_FILE: file, RD_STATION_REDIRECT_URL: redirectUri } = process.env;
  return fileTokenStore(file || undefined, async () => {
    if (!redirectUri)
      throw new Error('Set RD_STATION_REDIRECT_URL, or RD_STATION_TOKEN_FILE of an earlier run.');
    const http = createHttp(definition, options.addresses, interruption.signal);
    return await authorizeInBrowser(authorization, { ...options, http }, redirectUri, interruption.signal);
  });
}

function readField(text: string | undefined): MappedField | undefined {
  if (text === undefined) return undefined;
  const [, key, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new Error('A field is named as KEY=VALUE.');
  return { key, value: parseValue(value) };
}

/** Numbers, true and false, and lists of texts in JSON; else the text. */
function parseValue(text: string): CustomValue {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'number' || typeof value === 'boolean') return value;
    if (Array.isArray(value)) return value.map(String);
  } catch {
    // A text.
  }
  return text;
}

function refuse(words: string): number {
  console.error(words);
  return 1;
}
