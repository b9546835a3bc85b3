// POST /providers/sandbox: what the sandbox tells over HTTP.
import type { SandboxControls } from '../../shared/payments/providers/sandbox/controls.ts';
import { SANDBOX } from '../../shared/payments/providers/sandbox/rules.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, refuseOtherMethods } from '../../shared/platform/http/app.ts';
import { BODY_DEADLINES, readBody } from '../../shared/platform/http/body.ts';
import type { Dependencies } from './dependencies.ts';

/** Notifications name an order and its state; none is near it. */
const BODY_LIMITS = { maxBytes: 64 * 1024, deadlineMs: BODY_DEADLINES.unknownCaller };
const PATH = '/callbacks/providers/sandbox';

export function addSandboxNotifications(
  app: App,
  { database, queue }: Dependencies,
  sandbox: SandboxControls,
): void {
  app.post(PATH, async (c) => {
    // Where the headers show already that it is somebody else, nothing needs to be read.
    if (!sandbox.mayNotify(c.req.raw.headers)) throw notTheSandbox();
    const body = await readBody(c.req.raw, BODY_LIMITS);
    const notification = await sandbox.readNotification(body).catch(() => {
      throw new ApiError('malformed_body', 'The notification cannot be read.');
    });
    const { receiveNotification } = await import('../../shared/payments/notifications/receive.ts');
    const outcome = await receiveNotification(SANDBOX, notification, { database, queue, log: c.get('log') });
    return c.json({ outcomes: [outcome] });
  });
  refuseOtherMethods(app, PATH, ['POST']);
}

const notTheSandbox = () =>
  new ApiError('unauthorized', 'This is no notification of the provider.', { reason: 'bad_signature' });
