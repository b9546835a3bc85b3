// Jobs about accounts at providers.
import { z } from 'zod';
import { defineJob, type JobHandler } from '../../platform/jobs/job.ts';
import { type AccountsOptions, checkAccount } from './check.ts';
import { forgetWhenSettled } from './disconnect.ts';
import { applyEvent } from './provider-events.ts';
import { reconcileAccount } from './reconcile.ts';

const ofAccount = z.object({ account_id: z.string() });

/** Its key, webhook, capabilities and balance are looked at: when it is connected, and every now and then. */
export const createCheckProvider = (options: AccountsOptions): JobHandler =>
  defineJob({
    name: 'check-provider',
    payload: ofAccount,
    leaseSeconds: 60,
    run: ({ account_id: id }, { signal }, dependencies) => checkAccount(id, options, dependencies, signal),
  });

/** A disconnected account is forgotten once nothing of it is open. */
export const createDisconnectProvider = (options: AccountsOptions): JobHandler =>
  defineJob({
    name: 'disconnect-provider',
    payload: ofAccount,
    leaseSeconds: 60,
    run: ({ account_id: id }, { signal }, dependencies) =>
      forgetWhenSettled(id, options, dependencies, signal),
  });

/** Orders and statement at the provider are compared with ours. */
export const createReconcileProvider = (options: AccountsOptions): JobHandler =>
  defineJob({
    name: 'reconcile-provider',
    payload: ofAccount,
    leaseSeconds: 300,
    run: ({ account_id: id }, { signal }, dependencies) =>
      reconcileAccount(id, options, dependencies, signal),
  });

/** What a provider told of is looked at. */
export const createApplyProviderEvent = ({ providers }: AccountsOptions): JobHandler =>
  defineJob({
    name: 'apply-provider-event',
    payload: z.object({ account_id: z.string(), event_id: z.string() }),
    leaseSeconds: 60,
    run: ({ account_id: accountId, event_id: eventId }, { attempts }, dependencies) =>
      applyEvent({ accountId, eventId, attempts }, providers, dependencies),
  });
