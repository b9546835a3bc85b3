// Webhooks of payment providers and CRMs for one account: unknown callers are limited, those of moved tenants are forwarded, and the others
// must prove that they come from the vendor.
import type { Context } from 'hono';
import { findMovedLink } from '../../shared/platform/access/tenant-moves.ts';
import { createUnknownCallerLimit, lookUpCaller } from '../../shared/platform/access/unknown-caller-limit.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { createBodiesInFlight } from '../../shared/platform/request/bodies-in-flight.ts';
import { BODY_DEADLINES } from '../../shared/platform/request/body.ts';
import type { RequestVariables } from '../../shared/platform/request/request-context.ts';
import { forwardWebhook } from './forward-webhook.ts';

/** Bodies are read before their signature can be verified, and this worker also runs the jobs, so they may use little of its memory. */
const MAX_BYTES_IN_FLIGHT = { tenant: 4 * 1024 * 1024, worker: 16 * 1024 * 1024 };

export type CallbackContext = Context<{ Variables: RequestVariables }>;

/** A webhook whose account is known. */
interface Delivery {
  tenantId: string;
  /** Stores the webhook. False if the body does not prove that the vendor sent it. */
  receive(body: Uint8Array): Promise<boolean>;
}

interface VendorOptions {
  /** Format of account ids. Others are rejected without a query. */
  accountId: RegExp;
  maxBytes: number;
}

export function createVendorWebhooks(database: Database, { accountId: format, maxBytes }: VendorOptions) {
  const unknownCallerLimit = createUnknownCallerLimit();
  const bodies = createBodiesInFlight(MAX_BYTES_IN_FLIGHT, {
    maxBytes,
    deadlineMs: BODY_DEADLINES.unknownCaller,
  });
  const readBody = (c: CallbackContext, owner: string) => bodies.read(c.req.raw, owner, c.var.requestContext);

  return {
    readBody,
    /** Counts the caller as unknown. Returns a function that takes this back. */
    attempt(c: CallbackContext, accountId: string): () => void {
      if (!format.test(accountId)) throw unprovedWebhook();
      return unknownCallerLimit.attempt(c.var.requestContext.address);
    },
    movedTo: (accountId: string) => findMovedLink(database, 'provider_account', accountId),
    /** The project at `movedTo` verifies the signature. */
    async forward(
      c: CallbackContext,
      accountId: string,
      movedTo: string,
      uncountAttempt: () => void,
    ): Promise<Response> {
      return await forwardWebhook(c.req.raw, await readBody(c, accountId), movedTo, uncountAttempt);
    },
    /** `open` finds the account; undefined if the headers already show that the vendor did not send the webhook. */
    async receive(
      c: CallbackContext,
      accountId: string,
      open: () => Promise<Delivery | undefined>,
    ): Promise<Response> {
      const uncountAttempt = this.attempt(c, accountId);
      const movedTo = await lookUpCaller(uncountAttempt, () => this.movedTo(accountId));
      if (movedTo !== undefined) return await this.forward(c, accountId, movedTo, uncountAttempt);
      const delivery = await open();
      if (!delivery || !(await delivery.receive(await readBody(c, delivery.tenantId))))
        throw unprovedWebhook();
      this.trust(c, uncountAttempt);
      return c.json({ received: true });
    },
    /** The caller has proved who it is. */
    trust(c: CallbackContext, uncountAttempt: () => void): void {
      uncountAttempt();
      c.var.requestContext.trusted = true;
    },
  };
}

export const unprovedWebhook = () =>
  new ApiError('unauthorized', 'Invalid webhook signature.', { reason: 'bad_signature' });
