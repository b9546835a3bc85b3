// POST /providers/<name>: notifications of payment providers.
import { receiveNotification } from '../../shared/payments/notifications/receive.ts';
import type { Notification } from '../../shared/payments/providers/provider.ts';
import type { Providers } from '../../shared/payments/providers/routing.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, refuseOtherMethods } from '../../shared/platform/http/app.ts';
import { BODY_DEADLINES, readBody } from '../../shared/platform/http/body.ts';
import type { Dependencies } from './dependencies.ts';

/** Notifications name an order and its state; none is near it. */
const BODY_LIMITS = { maxBytes: 64 * 1024, deadlineMs: BODY_DEADLINES.unknownCaller };
const PATH = '/callbacks/providers/:name';

export function addProviders(app: App, { database, queue }: Dependencies, providers: Providers): void {
  app.post(PATH, async (c) => {
    const name = c.req.param('name');
    if (!providers.has(name)) throw new ApiError('not_found', 'There is no such provider.');
    const provider = providers.named(name);
    const { headers } = c.req.raw;
    // Where the headers show already that it is somebody else, nothing needs to be read.
    if (!provider.mayNotify(headers)) throw notTheProvider();
    const body = await readBody(c.req.raw, BODY_LIMITS);
    const notifications = await read(() => provider.readNotifications(headers, body));
    if (!notifications) throw notTheProvider();
    const log = c.get('log');
    const outcomes: string[] = [];
    for (const one of notifications) {
      outcomes.push(await receiveNotification(name, one, { database, queue, log }));
    }
    return c.json({ outcomes });
  });
  refuseOtherMethods(app, PATH, ['POST']);
}

const notTheProvider = () =>
  new ApiError('unauthorized', 'This is no notification of the provider.', { reason: 'bad_signature' });

async function read(work: () => Promise<Notification[] | undefined>): Promise<Notification[] | undefined> {
  try {
    return await work();
  } catch {
    throw new ApiError('malformed_body', 'The notification cannot be read.');
  }
}
