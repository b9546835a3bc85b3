// Settings of the CLI: from flags, the environment or .placarrc, in this order. Secrets are never flags.
import { CliError, usageError } from './exit-codes.ts';
import type { Output } from './output.ts';
import { findSettingsFile, type SettingsFile } from './settings-file.ts';

/** For each setting: its environment variable, and whether its value is secret. */
const settings = {
  url: { variable: 'PLACAR_URL', secret: false },
  apiKey: { variable: 'PLACAR_API_KEY', secret: true },
  clientId: { variable: 'PLACAR_CLIENT_ID', secret: false },
  clientSecret: { variable: 'PLACAR_CLIENT_SECRET', secret: true },
  variant: { variable: 'PLACAR_VARIANT', secret: false },
  databaseUrl: { variable: 'PLACAR_DATABASE_URL', secret: true },
  tenantId: { variable: 'PLACAR_TENANT_ID', secret: false },
  mailUrl: { variable: 'PLACAR_MAIL_URL', secret: false },
  asaasUrl: { variable: 'PLACAR_ASAAS_URL', secret: false },
} as const;

export type SettingName = keyof typeof settings;
const names = Object.keys(settings) as SettingName[];

export interface GlobalOptions {
  json?: boolean;
  profile?: string;
  url?: string;
  variant?: string;
}

export interface Settings extends Partial<Record<SettingName, string>> {
  /** Name of the chosen profile, if any. */
  profile: string | undefined;
}

/** Credentials that are sent to the URL. */
const CREDENTIALS: readonly SettingName[] = ['apiKey', 'clientId', 'clientSecret'];

/** A value and where it comes from: `flag`, `the environment` or the path of a file. */
interface Value {
  text: string;
  origin: string;
}

/**
 * Reads the settings and hides secrets in all output. With a profile, all settings come from that profile, so that no
 * credential is sent to another deployment. Throws a usage error for a URL that must not receive the credentials.
 */
export function readSettings(flags: GlobalOptions, out: Output): Settings {
  const profile = flags.profile ?? (process.env.PLACAR_PROFILE || undefined);
  const file = findSettingsFile();
  const members = membersOf(file, profile);
  const found = new Map<SettingName, Value>();
  for (const name of names) {
    const flag = name === 'url' || name === 'variant' ? flags[name] : undefined;
    const variable = profile === undefined ? process.env[settings[name].variable] : undefined;
    const value = flag
      ? { text: flag, origin: FLAG }
      : variable
        ? { text: variable, origin: ENVIRONMENT }
        : readValue(members[name], name, file);
    if (value === undefined) continue;
    found.set(name, value);
    if (settings[name].secret) out.hide(value.text);
  }
  hidePassword(found.get('databaseUrl')?.text, out);
  checkDestination(found);
  if (file?.readableByOthers && holdsSecret(file)) {
    out.warn(`${file.path} contains secrets and is readable by other users. Run: chmod 600 ${file.path}`);
  }
  return { profile, ...Object.fromEntries([...found].map(([name, { text }]) => [name, text])) };
}

const FLAG = 'a flag';
const ENVIRONMENT = 'the environment';

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);

/**
 * Throws unless the URL may receive the credentials. The `.placarrc` of a cloned folder must not send credentials of the environment to
 * its own URL, and credentials are sent over https only. URLs of this machine are exempt.
 */
function checkDestination(found: Map<SettingName, Value>): void {
  const url = found.get('url');
  if (!url || !URL.canParse(url.text)) return;
  const parsed = new URL(url.text);
  if (isLoopback(parsed)) return;
  if (parsed.protocol === 'http:')
    throw usageError(`Use https for ${url.text}. http is only for this machine.`);
  if (url.origin === FLAG) return;
  for (const name of CREDENTIALS) {
    const origin = found.get(name)?.origin;
    if (origin === undefined || origin === url.origin) continue;
    throw usageError(
      `The URL comes from ${url.origin}, but ${name} comes from ${origin}. Set both in one place, or pass --url.`,
    );
  }
}

function membersOf(file: SettingsFile | undefined, profile: string | undefined): Record<string, unknown> {
  if (profile === undefined) return file?.members ?? {};
  const members = file?.profiles[profile];
  if (members) return members;
  const known = Object.keys(file?.profiles ?? {});
  const where = file
    ? `${file.path} has ${known.length > 0 ? known.join(', ') : 'no profiles'}`
    : 'no .placarrc found';
  throw usageError(`Unknown profile ${profile}: ${where}.`);
}

/** The text itself, or the value of a variable for `{"env": "PLACAR_..."}`. */
function readValue(value: unknown, name: string, file: SettingsFile | undefined): Value | undefined {
  if (value === undefined || value === null || !file) return undefined;
  if (typeof value === 'string') return { text: value, origin: file.path };
  if (typeof value === 'object' && 'env' in value && typeof value.env === 'string') {
    if (!/^PLACAR_[A-Z0-9_]+$/.test(value.env)) {
      throw usageError(`${file.path}: ${name} must name a variable that begins with PLACAR_.`);
    }
    const text = process.env[value.env];
    // Only the user writes the file in the home directory, so its variables are meant for its URL.
    return text ? { text, origin: file.isHome ? file.path : ENVIRONMENT } : undefined;
  }
  throw usageError(`${file.path}: ${name} must be a string or {"env": "PLACAR_..."}.`);
}

function holdsSecret({ members, profiles }: SettingsFile): boolean {
  return [members, ...Object.values(profiles)].some((group) =>
    names.some((name) => settings[name].secret && typeof group[name] === 'string'),
  );
}

/** Hides the password of a URL: errors may quote the URL or parts of it. */
export function hidePassword(address: string | undefined, out: Output): void {
  if (!address || !URL.canParse(address)) return;
  const { password } = new URL(address);
  out.hide(password);
  try {
    out.hide(decodeURIComponent(password));
  } catch {}
}

/** Returns the settings. Throws a usage error that names the missing ones. */
export function required<Name extends SettingName>(
  found: Settings,
  wanted: readonly Name[],
  what: string,
): Record<Name, string> {
  const missing = wanted.filter((name) => !found[name]);
  if (missing.length > 0) {
    const list = missing.map((name) => `${settings[name].variable} (${name} in .placarrc)`).join(', ');
    throw new CliError(`${what} needs ${list}.`, 2);
  }
  // All of them are present.
  return Object.fromEntries(wanted.map((name) => [name, found[name]])) as Record<Name, string>;
}
