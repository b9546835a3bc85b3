/** Serves the console of a deployment on 127.0.0.1. Only a person with access to the terminal can open it. */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { contextStorage } from 'hono/context-storage';
import type { Language } from '../../shared/platform/messages/translate.ts';
import { PlacarError } from '../typescript/src/errors.ts';
import type { ConsoleCredentials, DeploymentOptions } from './api/deployment.ts';
import { connectTo, createConsoleApp, unknownPage } from './app.tsx';
import { assetRoutes } from './assets.ts';
import { restrictPage } from './guard.ts';
import { detectLanguage } from './kit/language.ts';
import { LOOPBACK, listen } from './listen.ts';
import { navigation } from './pages.ts';
import { sendPage } from './render.tsx';
import { requireOwnHost } from './session/origin.ts';
import { CodePage, StoppedPage } from './session/pages.tsx';
import { Session } from './session/session.ts';

export interface ServeOptions extends DeploymentOptions {
  /** 0 selects a free port. */
  port: number;
  language?: Language | undefined;
  /** Asks for other credentials, when the deployment no longer accepts these. */
  askCredentials?(): Promise<ConsoleCredentials>;
  /** Ends the process after too many wrong codes. */
  onLocked(): void;
}

export interface RunningConsole {
  url: string;
  /** The code to enter on the first page. */
  code: string;
  close(): Promise<void>;
}

/** Checks the credentials and starts to listen. Throws if the deployment does not respond or rejects them, and `EADDRINUSE`. */
export async function serveConsole(options: ServeOptions): Promise<RunningConsole> {
  const connected = connectTo(options);
  const { deployment, cache } = connected;
  await deployment.check().catch((error: unknown) => {
    throw startFailure(error, options.url);
  });

  const app = new Hono();
  const server = createServer(getRequestListener(app.fetch));
  const port = await listen(server, { port: options.port, host: LOOPBACK });
  const session = new Session(port);
  let _asking: Promise<void> | undefined;
  const askAgain = () => {
    _asking ??= options
      .askCredentials?.()
      .then(async (credentials) => {
        deployment.replace(credentials);
        cache.forget();
        await deployment.check();
      })
      // The next page fails again and asks for credentials again.
      .catch(() => {})
      .finally(() => {
        _asking = undefined;
      });
  };

  app.use(requireOwnHost([`${LOOPBACK}:${port}`, `localhost:${port}`]));
  app.use(contextStorage(), detectLanguage(options.language), restrictPage());
  app.route('/', assetRoutes());
  app.post('/session', async (c) => {
    const { code } = await c.req.parseBody();
    const { opened, attemptsLeft } = session.open(c, typeof code === 'string' ? code : '');
    if (opened) return c.redirect('/', 303);
    if (attemptsLeft > 0) return sendPage(c, <CodePage attemptsLeft={attemptsLeft} />, 403);
    // After this response.
    setImmediate(() => server.close(options.onLocked));
    server.closeIdleConnections();
    c.header('Connection', 'close');
    return sendPage(c, <StoppedPage />, 403);
  });
  app.use(async (c, next) => (session.isOpen(c) ? await next() : sendPage(c, <CodePage />, 403)));
  app.route(
    '/',
    createConsoleApp({
      connect: async () => connected,
      csrf: () => session.csrf,
      navigation,
      foot: (_c, _connected, { name }) => (
        <p class="small clip">
          {name}
          <br />
          <span class="muted">{new URL(deployment.url).host}</span>
        </p>
      ),
      onUnauthorized: () => {
        askAgain();
        return undefined;
      },
    }),
  );

  app.notFound(unknownPage);

  return {
    url: `http://${LOOPBACK}:${port}`,
    code: session.code,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The bundled command has its own error classes, so the reason is recognized by the message. */
function startFailure(error: unknown, url: string): Error {
  if (!(error instanceof PlacarError)) return new Error(String(error));
  if (error.status === undefined) return new Error(`${url} does not answer. ${error.said}`);
  return new Error(`${url} rejects the credentials or the request: ${error.said}`);
}
