// Endpoint of /pay/{token}: links for payers, unguessable and without authentication.

import { type Counter, limits, rejectExcess } from '../../shared/platform/access/request-counter.ts';
import { redirectMovedLink } from '../../shared/platform/access/tenant-moves.ts';
import { createUnknownCallerLimit } from '../../shared/platform/access/unknown-caller-limit.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, addRoute } from '../../shared/platform/http/app.ts';
import type { Dependencies } from './dependencies.ts';

const PATH = '/payments/pay/:token';

/** The link is a secret, and its target changes. */
const HEADERS = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };

export function addPayLinks(
  app: App,
  { database, providers }: Pick<Dependencies, 'database' | 'providers'>,
  counter: Counter,
): void {
  const unknownCallerLimit = createUnknownCallerLimit();
  addRoute(app, 'get', PATH, async (c) => {
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
    const uncountAttempt = unknownCallerLimit.attempt(c.var.requestContext.address);
    const log = c.get('log');
    const checkOnly = c.req.raw.method === 'HEAD';
    const token = c.req.param('token');
    // The link has the token of the invoice's files.
    await redirectMovedLink(database, { kind: 'file', token }, new URL(c.req.url).pathname);
    const { findPayLink } = await import('../../shared/payments/invoices/pay-link.ts');
    const link = await findPayLink(token, { database, providers, log });
    if (!link) throw new ApiError('not_found', 'Payment link not found. Check the URL.');
    uncountAttempt();
    // HEAD also queries the provider, but does not count toward the payer's limit.
    const usage = await counter.count('payLink', checkOnly ? `${link.key}:head` : link.key, log);
    rejectExcess(usage, limits.payLink.max, 'This payment link was opened too often.');
    const answer = await link.open(checkOnly);
    if ('location' in answer) return c.redirect(answer.location, 303);
    return c.text(answer.text, answer.status);
  });
}
