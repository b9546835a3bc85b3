// `placar console --sign-in`: the console on the web, where each person signs in.
import manifest from '../../../package.json' with { type: 'json' };
import type { Context } from '../context.ts';
import { usageError } from '../exit-codes.ts';
import { required } from '../settings.ts';

export interface SignInFlags {
  publishableKey?: string;
  listen?: string;
  publicUrl?: string;
  lang?: 'pt-BR' | 'en';
}

/** Secrets that a server on the web has no use for. */
const FORBIDDEN = ['PLACAR_CLIENT_SECRET', 'PLACAR_API_KEY'];

const variable = (name: string): string | undefined => process.env[name] || undefined;

export async function serveWithSignIn(context: Context, flags: SignInFlags): Promise<undefined> {
  const { out, signal, settings } = context;
  const found = FORBIDDEN.filter((name) => variable(name) !== undefined);
  if (found.length > 0)
    throw usageError(
      `placar console --sign-in does not use ${found.join(' and ')}. Remove ${found.length > 1 ? 'them' : 'it'} from the environment.`,
    );
  const { url } = required(settings, ['url'], 'placar console --sign-in');
  const publishableKey = publishableKeyOf(flags.publishableKey ?? variable('PLACAR_PUBLISHABLE_KEY'));
  const listen = listenOf(flags.listen ?? variable('LISTEN') ?? '127.0.0.1:4650');
  const sessionKeyText = variable('SESSION_KEY');
  out.hide(sessionKeyText);
  // A separate bundle, so that other commands start without it.
  const { readPublicUrl, readSessionKey, serveSignIn } = await import(
    '../../../../console/sign-in/serve.tsx'
  );
  const publicText = flags.publicUrl ?? variable('PUBLIC_URL');
  const publicUrl = publicText === undefined ? undefined : readPublicUrl(publicText);
  if (publicText !== undefined && !publicUrl)
    throw usageError(
      `The public URL must be like https://console.example.com, without a path. http is only for this machine.`,
    );
  const sessionKey = sessionKeyText === undefined ? undefined : readSessionKey(sessionKeyText);
  if (sessionKeyText !== undefined && !sessionKey)
    throw usageError('SESSION_KEY must be 32 bytes in base64. Create one with: openssl rand -base64 32');
  const running = await serveSignIn({
    url,
    publishableKey,
    listen,
    publicUrl,
    sessionKey,
    language: flags.lang,
    addressHeader: addressHeaderOf(variable('CLIENT_ADDRESS_HEADER')),
    program: `placar-console/${manifest.version}`,
  }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
      throw usageError(`Port ${listen.port} is in use. Choose another one with --listen.`);
    throw error;
  });
  if (!sessionKey) out.note('SESSION_KEY is not set, so a restart signs everyone out.');
  out.show(`Console: ${running.url}\n\nCtrl-C stops it.`, { url: running.url });
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await running.close();
}

function publishableKeyOf(key: string | undefined): string {
  if (key === undefined)
    throw usageError('placar console --sign-in needs --publishable-key or PLACAR_PUBLISHABLE_KEY.');
  if (isSecretKey(key))
    throw usageError('This is a secret key of the project. Use the publishable key, or the anon key.');
  if (!/^[\x21-\x7e]+$/.test(key)) throw usageError('The publishable key must be visible ASCII characters.');
  return key;
}

/** Secret keys begin with `sb_secret_`; the older ones are JWTs with the role `service_role`. */
function isSecretKey(key: string): boolean {
  const payload = Buffer.from(key.split('.')[1] ?? '', 'base64url').toString();
  return key.startsWith('sb_secret_') || /"role"\s*:\s*"service_role"/.test(payload);
}

/** Such as `127.0.0.1:4650`, `0.0.0.0:8080` or `[::]:8080`. */
function listenOf(text: string): { host: string; port: number } {
  const [, ipv6, name, portText] = /^(?:\[([\da-fA-F:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = ipv6 ?? name ?? '';
  const port = Number(portText);
  if (host === '' || port > 65_535)
    throw usageError('--listen must be a host and a port, such as 127.0.0.1:4650 or [::]:8080.');
  return { host, port };
}

function addressHeaderOf(name: string | undefined): string | undefined {
  if (name !== undefined && !/^[A-Za-z0-9-]+$/.test(name))
    throw usageError('CLIENT_ADDRESS_HEADER must be the name of a header, such as X-Forwarded-For.');
  return name;
}
