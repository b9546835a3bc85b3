// POST /providers/sandbox: what the sandbox tells over HTTP.
import type { Providers } from '../../shared/payments/providers/provider.ts';
import type { SandboxControls } from '../../shared/payments/providers/sandbox/controls.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, refuseOtherMethods } from '../../shared/platform/http/app.ts';
import { BODY_DEADLINES, readBody } from '../../shared/platform/request/body.ts';
import type { Dependencies } from './verified-body.ts';

/** Longest notification: it names an order and its state. */
const BODY_LIMITS = { maxBytes: 64 * 1024, deadlineMs: BODY_DEADLINES.unknownCaller };
const PATH = '/callbacks/providers/sandbox';

export function addSandboxNotifications(
  app: App,
  { database, queue }: Dependencies,
  providers: Providers,
  sandbox: SandboxControls,
): void {
  app.post(PATH, async (c) => {
    // Where the headers show already that it is somebody else, nothing needs to be read.
    if (!sandbox.mayNotify(c.req.raw.headers)) throw notTheSandbox();
    const body = await readBody(c.req.raw, BODY_LIMITS);
    const { notifyOf, parseNotification } = await import('../../shared/payments/providers/sandbox/notify.ts');
    const told = await sandbox.report(readOrRefuse(parseNotification, body));
    const outcome = await notifyOf(told, providers, { database, queue, log: c.get('log') });
    return c.json({ outcomes: [outcome] });
  });
  refuseOtherMethods(app, PATH, ['POST']);
}

function readOrRefuse<T>(parse: (body: Uint8Array) => T, body: Uint8Array): T {
  try {
    return parse(body);
  } catch {
    throw new ApiError('malformed_body', 'The notification cannot be read.');
  }
}

const notTheSandbox = () =>
  new ApiError('unauthorized', 'Invalid sandbox token.', { reason: 'bad_signature' });
