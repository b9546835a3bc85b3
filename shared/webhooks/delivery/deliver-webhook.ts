// The job that delivers events to one endpoint, whose deliveries are a lane: `signed-request.ts` signs, `attempt-delivery.ts` checks
// and judges, `http-client.ts` sends. What follows from attempts is decided by the database in one transaction with their record,
// retries by WEBHOOK_RETRY_SCHEDULE (`app.record_webhook_attempts`, migrations/*_webhooks_attempts.sql); how many requests one host
// gets at once, whether by its name or its address, by `app.begin_webhook_requests` and, where a name leads elsewhere than before,
// `app.move_webhook_request` (*_webhooks_rules.sql). A worker that dies before the record leaves a delivery due, and it is sent again.
import { type Database, oneRow, WORKER_SESSION } from '../../platform/db/database.ts';
import type { Env } from '../../platform/env.ts';
import type { JobDependencies, LaneHandler, PreviousResult } from '../../platform/jobs/job.ts';
import type { DeliveryAttemptResult, HostBusy } from './attempt-delivery.ts';
import type { Network } from './network.ts';
import {
  beginDeliveries,
  type DueDelivery,
  endRequests,
  failDelivery,
  jobOutcomes,
  keepSigningKey,
  type LostDelivery,
  moveRequest,
  recordAttempts,
} from './queries.ts';
import { buildSignedRequest, type Renderers } from './signed-request.ts';

const TIMEOUT_MS = 10_000;
const LEASE_SECONDS = 30;
/** After so long of its claim no further delivery of a record is begun: it must end before somebody else may claim it. */
const MOST_IN_TURN_MS = (LEASE_SECONDS * 1000) / 2;
/** Requests to one endpoint at a time. */
const AT_ONCE = 4;

export interface DeliverOptions {
  settings: Env<'webhooks' | 'destinations'>;
  network: Network;
  renderers: Renderers;
  /** For one attempt, in milliseconds; 10 s unless a test says otherwise. */
  timeoutMs?: number;
}

/** What came of a delivery's turn. */
type Outcome =
  | { kind: 'attempted'; attempt: DeliveryAttemptResult }
  | { kind: 'given_up'; id: string; reason: string }
  | { kind: 'postponed'; until: Date; busy: boolean }
  | { kind: 'held'; paused: boolean }
  | { kind: 'blocked' }
  | { kind: 'over' };

export function createDeliverWebhook(
  options: DeliverOptions,
): LaneHandler<DueDelivery | LostDelivery, Outcome> {
  const { settings, network, renderers, timeoutMs = TIMEOUT_MS } = options;
  const sending = { network, timeoutMs, allowInsecure: settings.ALLOW_INSECURE_WEBHOOKS };
  const rules = {
    schedule: settings.WEBHOOK_RETRY_SCHEDULE,
    deactivationMinSpanSeconds: settings.WEBHOOK_DEACTIVATION_MIN_SPAN_SECONDS,
  };

  async function send(
    delivery: DueDelivery,
    { database }: JobDependencies,
  ): Promise<DeliveryAttemptResult | HostBusy> {
    const signingKey = delivery.signingKey ?? (await newSigningKey(delivery.id, database));
    const message = buildSignedRequest({ ...delivery, signingKey }, renderers, Math.floor(Date.now() / 1000));
    // Loaded where something is delivered: the function does other jobs as well.
    const { attempt } = await import('./attempt-delivery.ts');
    const placesOf = new Set(delivery.addresses);
    return await attempt(delivery.url, message, {
      ...sending,
      hidden: secretsIn(delivery.headers),
      async takePlaces(addresses) {
        if (addresses.every((address) => placesOf.has(address))) return null;
        const [moved] = await database.transaction(WORKER_SESSION, (sql) =>
          moveRequest(sql, delivery.id, addresses, LEASE_SECONDS),
        );
        return moved?.busyUntil ?? null;
      },
    });
  }

  return {
    name: 'deliver-webhook',
    concurrency: AT_ONCE,
    leaseSeconds: LEASE_SECONDS,
    begin: (sql, claimed) => beginDeliveries(sql, claimed, LEASE_SECONDS),
    orderingKey: (delivery) => (delivery.id === null ? null : delivery.record),
    async run(delivery, dependencies, before) {
      if (delivery.id === null || delivery.status !== 'pending') return { kind: 'over' };
      const reason = reasonAgainst(delivery);
      if (reason) return { kind: 'given_up', id: delivery.id, reason };
      const { notBefore, busy, held, paused, blocked } = delivery;
      if (held) return { kind: 'held', paused };
      if (blocked || (before && !mayProceed(before))) return { kind: 'blocked' };
      if (notBefore) return { kind: 'postponed', until: notBefore, busy };
      const sent = await send(delivery, dependencies);
      if ('busyUntil' in sent) return { kind: 'postponed', until: sent.busyUntil, busy: true };
      return { kind: 'attempted', attempt: sent };
    },
    record(sql, done) {
      const attempts = done.flatMap(({ work: { id }, outcome }) =>
        id !== null && outcome.kind === 'attempted' ? [{ id, attempt: outcome.attempt }] : [],
      );
      const givenUp = done.flatMap(({ outcome }) => (outcome.kind === 'given_up' ? [outcome] : []));
      const blocked = done.flatMap(({ work: { id }, outcome }) =>
        id !== null && outcome.kind === 'blocked' ? [id] : [],
      );
      const jobs = done.map(({ work: { jobId, claim, id }, outcome }) => ({
        id: jobId,
        claim,
        delivery: id,
        notBefore: outcome.kind === 'postponed' ? outcome.until : null,
        held: outcome.kind === 'held',
        blocked: outcome.kind === 'blocked',
      }));
      return {
        effects: [
          ...(attempts.length > 0 ? [recordAttempts(sql, attempts, rules)] : []),
          ...(blocked.length > 0 ? [endRequests(sql, blocked)] : []),
          ...givenUp.map(({ id, reason }) => failDelivery(sql, id, reason)),
        ],
        outcomes: jobOutcomes(sql, jobs),
      };
    },
    // Its other deliveries would find its host as busy, or the webhook suspended. Those of a paused one are put away, all of them:
    // no message comes when the pause is over but for what resuming finds so.
    shouldPauseLane: (outcome) =>
      (outcome.kind === 'postponed' && outcome.busy) || (outcome.kind === 'held' && !outcome.paused),
  };
}

/** The key of an endpoint that was made by SQL, with the first delivery that it is sent. */
async function newSigningKey(deliveryId: string, database: Database): Promise<string> {
  const { generateSigningKey } = await import('./signatures.ts');
  const made = generateSigningKey();
  const rows = await database.transaction(WORKER_SESSION, (sql) => keepSigningKey(sql, deliveryId, made));
  return oneRow(rows).kept;
}

/** Whether the next delivery of the record may be sent. */
const mayProceed = ({ outcome, elapsedMs }: PreviousResult<Outcome>): boolean => {
  if (elapsedMs > MOST_IN_TURN_MS) return false;
  return outcome?.kind === 'attempted'
    ? outcome.attempt.error === null
    : outcome?.kind === 'given_up' || outcome?.kind === 'over';
};

/** What of own headers a receiver's answer must not show: values, the longest first, what comes after a scheme such as Bearer, and words of it. */
const secretsIn = (headers: DueDelivery['headers']): string[] =>
  Object.values(headers ?? {})
    .flatMap((value) => [
      value,
      JSON.stringify(value).slice(1, -1),
      ...value.split(/^\S+ /).slice(1).filter(isCredential),
      ...value.split(/[\s"',;=]+/).filter(isLong),
    ])
    .sort((a, b) => b.length - a.length);

/** Shorter ones stand in many answers and tell nothing. */
const isCredential = (text: string): boolean => text.length >= 4;
const isLong = (word: string): boolean => word.length >= 8;

/** Why a delivery is given up without being sent. */
function reasonAgainst({ active, subscribed, type }: DueDelivery): string | undefined {
  if (!active) return 'the webhook is deactivated';
  return subscribed ? undefined : `the webhook does not subscribe to ${type}`;
}
