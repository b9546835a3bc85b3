// `placar console`: pages for the administration of a deployment, on this machine.
import { type Command, InvalidArgumentError, Option } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { functionsUrl } from '../../core/options.ts';
import type { Context } from '../context.ts';
import { CliError, usageError } from '../exit-codes.ts';
import type { Run } from '../main.ts';
import { askFor, canAsk } from '../prompt.ts';
import { required } from '../settings.ts';
import { type SignInFlags, serveWithSignIn } from './console-sign-in.ts';

interface Options extends SignInFlags {
  port: number;
  signIn?: boolean;
  lang?: 'pt-BR' | 'en';
  as?: string;
}

const portOf = (text: string): number => {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('--port must be a number from 0 to 65535.');
};

export function consoleCommand(parent: Command, run: Run): void {
  parent
    .command('console')
    .description('Open pages to administer a deployment, on 127.0.0.1 until Ctrl-C')
    .option('--port <port>', 'port to listen on; 0 selects a free one', portOf, 4650)
    .addOption(
      new Option('--lang <language>', "language of the pages (default: the browser's)").choices([
        'pt-BR',
        'en',
      ]),
    )
    .option('--as <name>', 'who you are, such as ana@acme.com, for the audit trail')
    .option('--sign-in', 'serve it on the web: each person signs in with an account of Supabase Auth')
    .option('--publishable-key <key>', 'publishable or anon key of the project, with --sign-in')
    .option('--listen <address>', 'address to listen on, with --sign-in (default: 127.0.0.1:4650)')
    .option('--public-url <url>', 'URL that browsers use, with --sign-in (default: http://127.0.0.1:<port>)')
    .addHelpText(
      'after',
      '\nNeeds --url or PLACAR_URL, and credentials: PLACAR_CLIENT_ID and PLACAR_CLIENT_SECRET, PLACAR_API_KEY for\npayments, or .placarrc. In a terminal, it asks for missing credentials.\n\nWith --sign-in it needs no credentials: --url or PLACAR_URL, and --publishable-key or PLACAR_PUBLISHABLE_KEY. It also\nreads PUBLIC_URL, LISTEN, SESSION_KEY and CLIENT_ADDRESS_HEADER.',
    )
    .action((options: Options, command: Command) =>
      run(async (context) => {
        const hasPort = command.getOptionValueSource('port') === 'cli';
        if (options.signIn) {
          if (hasPort || options.as !== undefined)
            throw usageError('Use --listen with --sign-in, without --port and --as.');
          return serveWithSignIn(context, options);
        }
        const { listen, publicUrl, publishableKey } = options;
        if (listen ?? publicUrl ?? publishableKey)
          throw usageError('--listen, --public-url and --publishable-key need --sign-in.');
        return serve(context, options);
      }),
    );
}

async function serve(context: Context, { port, lang, as: onBehalfOf }: Options): Promise<undefined> {
  const { out, signal, settings } = context;
  const { url } = required(settings, ['url'], 'placar console');
  const credentials = await credentialsOf(context);
  // A separate bundle, so that other commands start without it.
  const { serveConsole } = await import('../../../../console/serve.tsx');
  const locked = new AbortController();
  const running = await serveConsole({
    url: functionsUrl(url),
    credentials,
    program: `placar-console/${manifest.version}`,
    onBehalfOf,
    port,
    language: lang,
    onLocked: () => locked.abort(),
    ...(canAsk() && {
      askCredentials: async () => {
        out.note('The deployment no longer accepts the credentials.');
        return askCredentials(context);
      },
    }),
  }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
      throw usageError(`Port ${port} is in use. Choose another one with --port.`);
    throw error;
  });
  out.show(`Console: ${running.url}\nCode:    ${running.code}\n\nCtrl-C stops it.`, {
    url: running.url,
    code: running.code,
  });
  const end = AbortSignal.any([signal, locked.signal]);
  if (!end.aborted) await new Promise((resolve) => end.addEventListener('abort', resolve, { once: true }));
  await running.close();
  if (locked.signal.aborted) throw new CliError('Five wrong codes were entered.');
}

/** From the settings, otherwise from the person at the terminal. */
async function credentialsOf(context: Context) {
  const { apiKey, clientId, clientSecret } = context.settings;
  if (apiKey || (clientId && clientSecret)) return { apiKey, clientId, clientSecret };
  if (canAsk()) return askCredentials(context);
  throw usageError(
    'placar console needs PLACAR_CLIENT_ID and PLACAR_CLIENT_SECRET, or PLACAR_API_KEY for payments. Set them or use .placarrc.',
  );
}

async function askCredentials({ out, signal }: Context) {
  const clientId = await askFor('Client id (empty for none): ', { signal });
  const clientSecret = clientId && (await askFor('Client secret: ', { hidden: true, signal }));
  const apiKey = await askFor('API key for payments (empty for none): ', { hidden: true, signal });
  for (const secret of [clientSecret, apiKey]) out.hide(secret);
  if (!clientSecret && !apiKey) throw usageError('Enter a client with its secret, or an API key.');
  return {
    ...(clientSecret && { clientId, clientSecret }),
    ...(apiKey && { apiKey }),
  };
}
