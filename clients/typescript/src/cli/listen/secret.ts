// What forwarded events are signed with: one secret and one key for each deployment, kept on this machine so that they stay the same.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  generateSigningKey,
  publicKeyOf,
  type SigningKey,
} from '../../../../../shared/webhooks/delivery/signatures.ts';
import { CliError } from '../exit-codes.ts';

/** The secret of a profile, or of an address; made when there is none yet. */
export const keptSecret = (name: string): string =>
  kept('listen-secrets.json', name, () => `whsec_${randomBytes(24).toString('base64')}`);

/** The same for the key, of which the private half is kept. */
export function keptSigningKey(name: string): SigningKey {
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
  new CliError(`${file} is not what placar wrote: remove it, and what it had is made anew.`);

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
