// `npm run upstash`: runs only the Upstash emulators, for use with `supabase start`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scheduleSweep } from '../scripts/schedule-sweep.ts';
import { createMailbox } from './emulators/mailbox.ts';
import { startUpstash } from './emulators/upstash.ts';
import { stackFolder } from './environment.ts';
import { portFrom } from './ports.ts';
import { loadSecrets } from './secrets.ts';
import { exitWithError } from './start-error.ts';

const dir = join(stackFolder(), 'upstash');
/** Listen address. On Linux, containers reach the bridge address (172.17.0.1), but not the loopback. */
const host = process.env.UPSTASH_HOST || '127.0.0.1';
/** Host name of this machine within the functions' container. */
const seenAs = process.env.UPSTASH_SEEN_AS || 'host.docker.internal';
const functionsUrl = process.env.FUNCTIONS_URL || 'http://127.0.0.1:54321/functions/v1';
const ports = {
  redis: portFrom('UPSTASH_REDIS_PORT', 54331),
  qstash: portFrom('UPSTASH_QSTASH_PORT', 54332),
};

mkdirSync(dir, { recursive: true });
const secrets = await loadSecrets(dir);
const mailbox = createMailbox(join(dir, 'mail'));
const upstash = await startUpstash({ dir, secrets, mailbox, host, ports }).catch(exitWithError);
await scheduleSweep({ qstashUrl: upstash.qstashUrl, token: secrets.qstashToken, functionsUrl });

const env = {
  APP_ENV: 'staging',
  FUNCTIONS_URL: functionsUrl,
  ...upstash.settings,
  UPSTASH_REDIS_REST_URL: `http://${seenAs}:${ports.redis}`,
  QSTASH_URL: `http://${seenAs}:${ports.qstash}`,
  OAUTH_SIGNING_KEY: `'${secrets.oauthSigningKey}'`,
};
const file = join('supabase', 'functions', '.env');
mkdirSync(join('supabase', 'functions'), { recursive: true });
writeFileSync(
  file,
  `${Object.entries(env)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}\n`,
  { mode: 0o600 },
);
console.log(`The Redis and QStash emulators listen on ${host}. The settings for the functions are in ${file}.
Next, run: npx supabase start`);
