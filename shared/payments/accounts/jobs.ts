// Jobs of provider accounts.
import { z } from 'zod';
import { defineJob, type JobHandler } from '../../platform/jobs/job.ts';
import { type AccountsOptions, checkAccount } from './check.ts';
import { deleteCredentialsWhenSettled } from './disconnect.ts';
import { readFiscalCodes } from './fiscal-codes.ts';
import { applyEvent } from './provider-events.ts';
import { reconcileAccount } from './reconcile.ts';

const accountPayload = z.object({ account_id: z.string() });

/** Checks the key, webhook, capabilities and balance of an account, when it is connected and periodically afterwards. */
export const createCheckProvider = (options: AccountsOptions): JobHandler =>
  defineJob({
    name: 'check-provider',
    payload: accountPayload,
    leaseSeconds: 60,
    run: ({ account_id: id }, { signal }, dependencies) => checkAccount(id, options, dependencies, signal),
  });

/** Deletes the webhook and API key of a disconnected account once it has no open orders. */
export const createDisconnectProvider = (options: AccountsOptions): JobHandler =>
  defineJob({
    name: 'disconnect-provider',
    payload: accountPayload,
    leaseSeconds: 60,
    run: ({ account_id: id }, { signal }, dependencies) =>
      deleteCredentialsWhenSettled(id, options, dependencies, signal),
  });

/** Reads the lists of IBS and CBS codes that the provider knows. */
export const createReadFiscalCodes = (options: AccountsOptions): JobHandler =>
  defineJob({
    name: 'read-fiscal-codes',
    payload: accountPayload,
    leaseSeconds: 300,
    run: ({ account_id: id }, { signal }, dependencies) => readFiscalCodes(id, options, dependencies, signal),
  });

/** Compares the provider's orders and statement with ours. */
export const createReconcileProvider = (options: AccountsOptions): JobHandler =>
  defineJob({
    name: 'reconcile-provider',
    payload: accountPayload,
    leaseSeconds: 300,
    run: ({ account_id: id }, { signal }, dependencies) =>
      reconcileAccount(id, options, dependencies, signal),
  });

/** Applies a provider event by looking up the order that it refers to. */
export const createApplyProviderEvent = ({ providers }: AccountsOptions): JobHandler =>
  defineJob({
    name: 'apply-provider-event',
    payload: z.object({ account_id: z.string(), event_id: z.string() }),
    leaseSeconds: 60,
    run: ({ account_id: accountId, event_id: eventId }, { attempts }, dependencies) =>
      applyEvent({ accountId, eventId, attempts }, providers, dependencies),
  });
