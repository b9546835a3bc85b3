// The secret that forwarded events are signed with: one for each deployment, kept on this machine so that it stays the same.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError } from '../exit-codes.ts';

const fileOf = (): string =>
  join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'placar', 'listen-secrets.json');

/** The secret of a profile, or of an address; made when there is none yet. */
export function keptSecret(name: string): string {
  const file = fileOf();
  const secrets = read(file);
  const kept = secrets[name];
  if (typeof kept === 'string' && kept !== '') return kept;
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify({ ...secrets, [name]: secret }, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return secret;
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
  throw new CliError(`${file} is not what placar wrote: remove it, and a new secret is made.`);
}
