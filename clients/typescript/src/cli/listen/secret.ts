// Signing secret and key for forwarded events: one pair for each deployment, stored on this machine so that they stay the same.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  generateSigningKey,
  publicKeyOf,
  type WebhookSigningKey,
} from '../../../../../shared/webhooks/delivery/signed-request.ts';
import { CliError } from '../exit-codes.ts';

/** The secret of a profile or URL. Creates it on first use. */
export const keptSecret = (name: string): string =>
  kept('listen-secrets.json', name, () => `whsec_${randomBytes(24).toString('base64')}`);

/** The signing key of a profile or URL. Only the private key is stored. */
export function keptSigningKey(name: string): WebhookSigningKey {
  const privateKey = kept('listen-keys.json', name, () => generateSigningKey().privateKey);
  try {
    return { privateKey, publicKey: publicKeyOf(privateKey) };
  } catch {
    throw notOurs(fileOf('listen-keys.json'));
  }
}

const fileOf = (file: string): string =>
  join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'placar', file);

const notOurs = (file: string) =>
  new CliError(`${file} is not a valid placar file. Delete it; placar creates a new one.`);

function kept(fileName: string, name: string, make: () => string): string {
  const file = fileOf(fileName);
  const all = read(file);
  const found = all[name];
  if (typeof found === 'string' && found !== '') return found;
  const made = make();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify({ ...all, [name]: made }, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return made;
}

function read(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return {};
  }
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content === 'object' && content !== null) return { ...content };
  } catch {}
  throw notOurs(file);
}
