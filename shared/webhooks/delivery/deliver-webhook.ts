// The job that delivers events to webhook endpoints. The deliveries of an endpoint form a lane. `signed-request.ts` signs a request,
// `attempt-delivery.ts` checks the destination and evaluates the response, and `http-client.ts` sends.
//
// The database records attempts and their consequences in one transaction: retries by WEBHOOK_RETRY_SCHEDULE, suspension and
// deactivation (`app.record_webhook_attempts`, database/webhooks/attempts.sql). It also limits the requests in flight per host name
// and address: `app.begin_webhook_requests`, and `app.move_webhook_request` if a name resolves to other addresses than before
// (database/webhooks/requests-in-flight.sql). If a worker dies before recording, the delivery stays due and is sent again.
import { type Database, oneRow, WORKER_SESSION } from '../../platform/db/database.ts';
import type { Env } from '../../platform/env.ts';
import type { JobDependencies, LaneHandler, PreviousResult } from '../../platform/jobs/job.ts';
import { inTrace, traceHeaders } from '../../platform/tracing/scope.ts';
import type { Renderers } from '../event.ts';
import type { DeliveryAttemptResult, HostBusy } from './attempt-delivery.ts';
import type { Network } from './network.ts';
import {
  beginDeliveries,
  type DeletedDelivery,
  type DueDelivery,
  failDelivery,
  jobOutcomes,
  moveRequestSlot,
  recordAttempts,
  releaseRequestSlots,
  storeSigningKey,
} from './queries.ts';
import { buildSignedRequest, generateSigningKey } from './signed-request.ts';

const TIMEOUT_MS = 10_000;
const LEASE_SECONDS = 30;
/** Time since the claim after which no further delivery of a record is started, so that it ends before the lease expires. */
const MAX_ORDERED_MS = (LEASE_SECONDS * 1000) / 2;
/** Concurrent requests to one endpoint. */
const CONCURRENCY = 4;

interface DeliverOptions {
  settings: Env<'webhooks' | 'destinations'>;
  network: Network;
  renderers: Renderers;
  /** Timeout of one attempt. Defaults to 10 s; tests shorten it. */
  timeoutMs?: number;
}

/** The outcome of a claimed delivery. */
type Outcome =
  | { kind: 'attempted'; attempt: DeliveryAttemptResult }
  | { kind: 'failed'; id: string; reason: string }
  | { kind: 'postponed'; until: Date; busy: boolean }
  | { kind: 'waiting'; paused: boolean }
  | { kind: 'awaiting_turn' }
  | { kind: 'not_pending' };

export function createDeliverWebhookJob(
  options: DeliverOptions,
): LaneHandler<DueDelivery | DeletedDelivery, Outcome> {
  const { settings, network, renderers, timeoutMs = TIMEOUT_MS } = options;
  const sending = { network, timeoutMs, allowInsecure: settings.ALLOW_INSECURE_WEBHOOKS };
  const rules = {
    schedule: settings.WEBHOOK_RETRY_SCHEDULE,
    deactivationMinSpanSeconds: settings.WEBHOOK_DEACTIVATION_MIN_SPAN_SECONDS,
  };

  const send = (delivery: DueDelivery, dependencies: JobDependencies) =>
    inTrace(delivery.deliveryTraceparent, 'client', 'webhook', async (span) => {
      span?.set('server.address', new URL(delivery.url).hostname).set('http.request.method', 'POST');
      const result = await sendSigned(delivery, dependencies);
      if (!('status' in result)) span?.fail('host_busy');
      else if (result.status === null) span?.fail('no_response');
      else span?.respond(result.status);
      return result;
    });

  async function sendSigned(
    delivery: DueDelivery,
    { database }: JobDependencies,
  ): Promise<DeliveryAttemptResult | HostBusy> {
    const signingKey = delivery.signingKey ?? (await newSigningKey(delivery.id, database));
    const nowSeconds = Math.floor(Date.now() / 1000);
    const { headers, body } = buildSignedRequest({ ...delivery, signingKey }, renderers, nowSeconds);
    const message = { headers: { ...headers, ...traceHeaders() }, body };
    // Loaded only when something is delivered, because the function also runs other jobs.
    const { attempt } = await import('./attempt-delivery.ts');
    const reservedAddresses = new Set(delivery.addresses);
    return await attempt(delivery.url, message, {
      ...sending,
      hidden: secretsIn(delivery.headers),
      async reserveSlots(addresses) {
        if (addresses.every((address) => reservedAddresses.has(address))) return null;
        const [moved] = await database.transaction(WORKER_SESSION, (sql) =>
          moveRequestSlot(sql, delivery.id, addresses, LEASE_SECONDS),
        );
        return moved?.busyUntil ?? null;
      },
    });
  }

  return {
    name: 'deliver-webhook',
    concurrency: CONCURRENCY,
    leaseSeconds: LEASE_SECONDS,
    begin: (sql, claimed) => beginDeliveries(sql, claimed, LEASE_SECONDS),
    orderingKey: (delivery) => (delivery.id === null ? null : delivery.record),
    async run(delivery, dependencies, previous) {
      if (delivery.id === null || delivery.status !== 'pending') return { kind: 'not_pending' };
      const reason = undeliverableReason(delivery);
      if (reason) return { kind: 'failed', id: delivery.id, reason };
      const { notBefore, busy, held, paused, blocked } = delivery;
      if (held) return { kind: 'waiting', paused };
      if (blocked || (previous && !mayProceed(previous))) return { kind: 'awaiting_turn' };
      if (notBefore) return { kind: 'postponed', until: notBefore, busy };
      const sent = await send(delivery, dependencies);
      if ('busyUntil' in sent) return { kind: 'postponed', until: sent.busyUntil, busy: true };
      return { kind: 'attempted', attempt: sent };
    },
    record(sql, results) {
      const attempts = results.flatMap(({ work: { id }, outcome }) =>
        id !== null && outcome.kind === 'attempted' ? [{ id, attempt: outcome.attempt }] : [],
      );
      const failed = results.flatMap(({ outcome }) => (outcome.kind === 'failed' ? [outcome] : []));
      const blocked = results.flatMap(({ work: { id }, outcome }) =>
        id !== null && outcome.kind === 'awaiting_turn' ? [id] : [],
      );
      const jobs = results.map(({ work: { jobId, claim, id }, outcome }) => ({
        id: jobId,
        claim,
        delivery: id,
        notBefore: outcome.kind === 'postponed' ? outcome.until : null,
        held: outcome.kind === 'waiting',
        blocked: outcome.kind === 'awaiting_turn',
      }));
      return {
        effects: [
          ...(attempts.length > 0 ? [recordAttempts(sql, attempts, rules)] : []),
          ...(blocked.length > 0 ? [releaseRequestSlots(sql, blocked)] : []),
          ...failed.map(({ id, reason }) => failDelivery(sql, id, reason)),
        ],
        outcomes: jobOutcomes(sql, jobs),
      };
    },
    // The endpoint's other deliveries would also find the host busy or the webhook suspended. If the webhook is paused, all of its due
    // jobs run once, so that each is set aside: resuming schedules only jobs in that state.
    shouldPauseLane: (outcome) =>
      (outcome.kind === 'postponed' && outcome.busy) || (outcome.kind === 'waiting' && !outcome.paused),
  };
}

/** Creates the key of an endpoint that was created in SQL, on its first delivery. */
async function newSigningKey(deliveryId: string, database: Database): Promise<string> {
  const keyPair = generateSigningKey();
  const rows = await database.transaction(WORKER_SESSION, (sql) => storeSigningKey(sql, deliveryId, keyPair));
  return oneRow(rows).kept;
}

/** Whether the next delivery of the record may be sent. */
const mayProceed = ({ outcome, elapsedMs }: PreviousResult<Outcome>): boolean => {
  if (elapsedMs > MAX_ORDERED_MS) return false;
  return outcome?.kind === 'attempted'
    ? outcome.attempt.error === null
    : outcome?.kind === 'failed' || outcome?.kind === 'not_pending';
};

/**
 * Parts of custom header values to redact in a receiver's response, longest first: whole values, credentials after a scheme such as
 * Bearer, and long words.
 */
const secretsIn = (headers: DueDelivery['headers']): string[] =>
  Object.values(headers ?? {})
    .flatMap((value) => [
      value,
      JSON.stringify(value).slice(1, -1),
      ...value.split(/^\S+ /).slice(1).filter(isCredential),
      ...value.split(/[\s"',;=]+/).filter(isLong),
    ])
    .sort((a, b) => b.length - a.length);

/** Shorter strings occur in many responses and reveal nothing. */
const isCredential = (text: string): boolean => text.length >= 4;
const isLong = (word: string): boolean => word.length >= 8;

/** Why a delivery fails without being sent. */
function undeliverableReason({ active, subscribed, type }: DueDelivery): string | undefined {
  if (!active) return 'the webhook is deactivated';
  return subscribed ? undefined : `the webhook does not subscribe to ${type}`;
}
