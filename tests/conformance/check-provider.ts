// `PROVIDER_KEY=... npm run check:provider -- asaas`: checks the contract of providers against the real API. It reads,
// creates only what costs nothing, deletes it again, and prints the results. With `--openapi FILE` it sends nothing but compares the
// requests of the adapter with the vendor's document.
import { parseArgs } from 'node:util';
import { addressesOf } from '../../shared/payments/provider-registry/registry.ts';
import { readEnv } from '../../shared/platform/env.ts';
import { compareRequests } from './openapi/compare.ts';
import { type OpenApiDocument, readDocument } from './openapi/document.ts';
import { type DocumentedVendor, isDocumented, requestsOf } from './openapi/requests.ts';
import { checkConformance, type Result } from './run.ts';
import { vendorSubject } from './vendors.ts';

const USAGE = `PROVIDER_KEY=<key of a sandbox> npm run check:provider -- asaas|wise|stripe
npm run check:provider -- asaas|wise --openapi FILE

  --openapi FILE         the vendor's OpenAPI document as JSON; no key is needed

  PROVIDER_KEY           the key or token; never one of production
  PROVIDER_SETTINGS      JSON, as the connect function takes it; of Wise '{"profile_id": 1, "source_currency": "EUR"}'
  PROVIDER_CALLBACK_URL  where a webhook leads for a moment: https, without a query; of Wise it has to answer 200
  ASAAS_URL, WISE_URL, WISE_VERSION, STRIPE_URL  where it answers; the provider's sandbox when absent`;

/** The URL is never called: the webhook is deleted before anything is created. */
const UNUSED_URL = 'https://example.com/placar';

/** Prefixes of keys without access to real money. Wise's keys have none: its sandbox accepts no production keys. */
const TEST_KEYS = { asaas: /^\$aact_hmlg_/, wise: /^/, stripe: /^(sk|rk)_test_/ } as const;

/** Stripe has one URL for both. Its keys show the environment. */
const PRODUCTION = ['api.wise.com', 'api.asaas.com'];

type Vendor = keyof typeof TEST_KEYS;
const isVendor = (name: string | undefined): name is Vendor =>
  name !== undefined && Object.hasOwn(TEST_KEYS, name);

process.exitCode = await main();

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { openapi: { type: 'string' } },
  });
  const [name, ...more] = positionals;
  if (name !== undefined && more.length === 0 && values.openapi !== undefined)
    return isDocumented(name) ? await compareWith(values.openapi, name) : refuse(USAGE);
  const key = process.env.PROVIDER_KEY ?? '';
  if (!isVendor(name) || more.length > 0 || key === '') return refuse(USAGE);
  if (!TEST_KEYS[name].test(key))
    return refuse(`PROVIDER_KEY is no key of ${name}'s sandbox: others are not used here.`);
  const settings = settingsOf(process.env.PROVIDER_SETTINGS || '{}');
  if (!settings) return refuse('PROVIDER_SETTINGS must be a JSON object.');
  if (name === 'wise' && !settings.profile_id)
    return refuse('PROVIDER_SETTINGS must have the profile_id of Wise.');
  // Staging: no URL of production is used.
  process.env.APP_ENV = 'staging';
  const addresses = addressesOf(readEnv('app', 'providers'));
  const isProduction = (address: string) =>
    URL.canParse(address) && PRODUCTION.includes(new URL(address).hostname);
  if (Object.values(addresses).some(isProduction)) return refuse('The address is one of production.');
  let results: Result[];
  try {
    const callbackUrl = process.env.PROVIDER_CALLBACK_URL || (name === 'wise' ? undefined : UNUSED_URL);
    results = await checkConformance(
      await vendorSubject({ provider: name, key, settings, addresses, callbackUrl }),
    );
  } catch (error) {
    return refuse(`${name} could not be asked: ${error instanceof Error ? error.message : String(error)}`);
  }
  return report(results);
}

async function compareWith(file: string, name: DocumentedVendor): Promise<number> {
  let document: OpenApiDocument;
  try {
    document = readDocument(file);
  } catch (error) {
    return refuse(
      `${file} is not an OpenAPI 3 document in JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return report(compareRequests(document, await requestsOf(name)));
}

/** Prints the results. Returns the exit code. */
function report(results: readonly Result[]): number {
  for (const { name: what, outcome, why } of results)
    console.log(`${outcome.padEnd(13)} ${what}${why === '' ? '' : `\n${' '.repeat(14)}${why}`}`);
  const count = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length;
  console.log(
    `\n${count('held')} held, ${count('did not hold')} did not hold, ${count('not asked')} not asked`,
  );
  return count('did not hold') > 0 ? 1 : 0;
}

function refuse(words: string): number {
  console.error(words);
  return 1;
}

function settingsOf(json: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(json);
    // An object that is not an array contains members by name.
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? { ...parsed }
      : undefined;
  } catch {
    return undefined;
  }
}
