// POST /providers/sandbox: notifications of the sandbox provider over HTTP.
import type { Providers } from '../../shared/payments/providers/provider.ts';
import type { SandboxControls } from '../../shared/payments/providers/sandbox/controls.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, addRoute } from '../../shared/platform/http/app.ts';
import { BODY_DEADLINES, readBody } from '../../shared/platform/request/body.ts';
import type { Dependencies } from './app.ts';

/** A notification contains only an order and its state. */
const BODY_LIMITS = { maxBytes: 64 * 1024, deadlineMs: BODY_DEADLINES.unknownCaller };
const PATH = '/callbacks/providers/sandbox';

export function addSandboxNotifications(
  app: App,
  { database, queue }: Dependencies,
  providers: Providers,
  sandbox: SandboxControls,
): void {
  addRoute(app, 'post', PATH, async (c) => {
    // Rejects an unauthenticated caller before reading the body.
    if (!sandbox.mayNotify(c.req.raw.headers)) throw invalidSandboxToken();
    const body = await readBody(c.req.raw, BODY_LIMITS);
    const { processNotification, parseNotification } = await import(
      '../../shared/payments/sandbox/notify.ts'
    );
    const changedOrder = await sandbox.report(parseOrThrow(parseNotification, body));
    const outcome = await processNotification(changedOrder, providers, {
      database,
      queue,
      log: c.get('log'),
    });
    return c.json({ outcomes: [outcome] });
  });
}

function parseOrThrow<T>(parse: (body: Uint8Array) => T, body: Uint8Array): T {
  try {
    return parse(body);
  } catch {
    throw new ApiError('malformed_body', 'The body is not a valid sandbox notification.');
  }
}

const invalidSandboxToken = () =>
  new ApiError('unauthorized', 'Invalid sandbox token.', { reason: 'bad_signature' });
