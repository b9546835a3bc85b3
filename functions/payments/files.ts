// Endpoints of /files/{token}/{name}: files for payers, at unguessable URLs and without authentication; and pages of the sandbox.

import { type Counter, limits, rejectExcess } from '../../shared/platform/access/request-counter.ts';
import { redirectMovedLink } from '../../shared/platform/access/tenant-moves.ts';
import { createUnknownCallerLimit } from '../../shared/platform/access/unknown-caller-limit.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, addRoute } from '../../shared/platform/http/app.ts';
import type { Dependencies } from './dependencies.ts';

const PATH = '/payments/files/:token/:name';
const CHECKOUT_PATH = '/payments/sandbox/checkout/:id';
const REFUND_PATH = '/payments/sandbox/refund-page/:id';
/** Format of sandbox ids. Other ids are rejected without a lookup. */
const SANDBOX_ID = /^sbx_[0-9A-Za-z]{16}$/;

export function addFiles(
  app: App,
  { database, files, providers, sandbox }: Dependencies,
  counter: Counter,
): void {
  const unknownCallerLimit = createUnknownCallerLimit();
  addRoute(app, 'get', PATH, async (c) => {
    const uncountAttempt = unknownCallerLimit.attempt(c.var.requestContext.address);
    // HEAD must not have side effects, so it does not generate a file that does not exist yet.
    const checkOnly = c.req.raw.method === 'HEAD';
    const { pathname } = new URL(c.req.url);
    await redirectMovedLink(database, { kind: 'file', token: c.req.param('token') }, pathname);
    const { findFile } = await import('../../shared/payments/files/open-file.ts');
    const found = await findFile(c.req.param('token'), c.req.param('name'), {
      database,
      files,
      providers,
      checkOnly,
    });
    if (!found) throw new ApiError('not_found', 'File not found. Check the URL.');
    uncountAttempt();
    const key = checkOnly ? `${found.key}:head` : found.key;
    const usage = await counter.count('fileLink', key, c.get('log'));
    rejectExcess(usage, limits.fileLink.max, 'This file was opened too often.');
    const file = await found.open();
    if (!file) throw new ApiError('not_found', 'File not found. Check the URL.');
    if ('location' in file) return c.redirect(file.location, 302);
    return c.body(file.content, 200, {
      'Content-Type': file.contentType,
      'Cache-Control': 'private, max-age=3600',
    });
  });
  if (!sandbox) return;
  addRoute(app, 'get', CHECKOUT_PATH, async (c) => {
    const id = c.req.param('id');
    const uncountAttempt = unknownCallerLimit.attempt(c.var.requestContext.address);
    if (!SANDBOX_ID.test(id) || !(await sandbox.hasCheckout(id))) {
      throw new ApiError('not_found', 'Checkout not found. Check the URL.');
    }
    uncountAttempt();
    return c.text(
      'This is where a payer would enter card details. Pay with POST /payments/sandbox/invoices/{id}/pay.',
    );
  });
  addRoute(app, 'get', REFUND_PATH, async (c) => {
    const id = c.req.param('id');
    const uncountAttempt = unknownCallerLimit.attempt(c.var.requestContext.address);
    if (!SANDBOX_ID.test(id) || !(await sandbox.hasRefundPage(id)))
      throw new ApiError('not_found', 'Refund not found. Check the URL.');
    uncountAttempt();
    return c.text(
      'This is where a payer would enter a bank account. Complete the refund with POST /payments/sandbox/refunds/{id}/settle.',
    );
  });
}
