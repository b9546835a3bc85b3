// Secrets of a local stack: created on its first start and stored in its folder. They are valid only for this stack.
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSigningKey } from '../scripts/signing-key.ts';
import type { CrmCredentials } from './crms/start.ts';

export interface Secrets {
  databasePassword: string;
  /** The password of the functions' login. */
  functionsPassword: string;
  redisToken: string;
  qstashToken: string;
  qstashCurrentSigningKey: string;
  qstashNextSigningKey: string;
  supabasePublishableKey: string;
  supabaseSecretKey: string;
  jwtSecret: string;
  /** Signs access tokens of Auth: private JWK with a `kid`, as JSON text. */
  authSigningKey: string;
  /** The first password of the demo tenant's people. */
  peoplePassword: string;
  sandboxNotificationToken: string;
  sweepToken: string;
  metricsToken: string;
  /** Private JWK as JSON text. */
  oauthSigningKey: string;
  /** The demo tenant's accounts at the provider emulators, once created. */
  demoProviders?: {
    asaasKey: string;
    asaasAccount: string;
    wiseToken: string;
    wiseProfile: number;
    stripeKey: string;
  };
  /** The demo company's credentials at the fakes of CRMs, once created. */
  demoCrms?: CrmCredentials;
  /** Credentials of the demo tenant, once created. */
  demo?: { apiKey: string; clientId: string; clientSecret: string };
}

const random = (bytes = 24) => randomBytes(bytes).toString('hex');
const fileOf = (dir: string) => join(dir, 'secrets.json');

/** Loads the secrets of a folder. Creates missing ones. */
export async function loadSecrets(dir: string): Promise<Secrets> {
  const kept = await readSecrets(dir);
  const secrets: Secrets = {
    databasePassword: random(),
    functionsPassword: random(),
    redisToken: random(),
    qstashToken: random(),
    qstashCurrentSigningKey: `sig_${random()}`,
    qstashNextSigningKey: `sig_${random()}`,
    supabasePublishableKey: `sb_publishable_${random()}`,
    supabaseSecretKey: `sb_secret_${random()}`,
    jwtSecret: random(32),
    authSigningKey: JSON.stringify({ ...JSON.parse(createSigningKey()), kid: randomUUID() }),
    peoplePassword: random(8),
    sandboxNotificationToken: random(),
    sweepToken: random(),
    metricsToken: random(),
    oauthSigningKey: createSigningKey(),
    ...kept,
  };
  // Folders of earlier versions may lack some secrets.
  if (Object.keys(secrets).some((name) => !(name in kept))) await saveSecrets(dir, secrets);
  return secrets;
}

async function readSecrets(dir: string): Promise<Partial<Secrets>> {
  try {
    return JSON.parse(await readFile(fileOf(dir), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return {};
  }
}

export async function saveSecrets(dir: string, secrets: Secrets): Promise<void> {
  const temporary = `${fileOf(dir)}.new`;
  await writeFile(temporary, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  await rename(temporary, fileOf(dir));
}
