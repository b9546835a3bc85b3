// Operations of the admin API: payment webhooks. They use the code of payments and the response envelopes of records.
import { z } from 'zod';
import { type Paging, selectSummary } from '../../../shared/administration/statements.ts';
import { paymentEvent } from '../../../shared/payments/events.ts';
import type { Completed } from '../../../shared/payments/idempotency/with-idempotency-key.ts';
import { serializeSnapshot } from '../../../shared/payments/snapshots.ts';
import { getDelivery, getReplay, getWebhook } from '../../../shared/payments/webhooks/reads.ts';
import {
  deliveryResponse,
  newWebhook,
  webhookChange,
  webhookResponse,
  webhookWithSecret,
} from '../../../shared/payments/webhooks/schema.ts';
import { serializeDelivery, serializeWebhook } from '../../../shared/payments/webhooks/serialize.ts';
import * as writes from '../../../shared/payments/webhooks/writes.ts';
import type { Context, LoggedStatus } from '../../../shared/platform/access/context.ts';
import { oneRow, type RowsOf, type Sql, type Work } from '../../../shared/platform/db/database.ts';
import { type ListQuery, readList } from '../../../shared/records/list.ts';
import { versionOf } from '../../../shared/records/versions.ts';
import { deliveryList, webhookList } from '../../../shared/records/webhooks/reads.ts';
import { keySetOf } from '../../../shared/webhooks/delivery/signed-request.ts';
import type { DestinationRules } from '../../../shared/webhooks/management/check-url.ts';
import { checkReadable, type WebhookRecord } from '../../../shared/webhooks/management/queries.ts';
import {
  keySetResponse,
  replay,
  replayRequest,
  replayResponse,
  testResponse,
} from '../../../shared/webhooks/management/schema.ts';
import { deliveryStatuses } from '../../../shared/webhooks/management/states.ts';
import { withWebhookErrors } from '../../../shared/webhooks/management/webhook-errors.ts';
import { type AdminResult, operation } from './operation.ts';
import { idIn, ifUnchanged } from './webhook-versions.ts';

export interface PaymentWebhookOptions {
  destinations: DestinationRules;
  functionsUrl: string;
}

const created = newWebhook.meta({ id: 'NewPaymentWebhook' });
const changed = webhookChange.meta({
  id: 'PaymentWebhookChange',
  description: '`active: true` also resets earlier failures.',
});
const webhook = webhookResponse.meta({ id: 'PaymentWebhook' });
const withSecret = webhookWithSecret.meta({ id: 'PaymentWebhookWithSecret' });
const delivery = deliveryResponse.meta({ id: 'PaymentDelivery' });
const reads = { role: 'payments', method: 'get', scopes: ['read:payments', 'manage:payments'] } as const;
const byTime = { sorts: ['created_at'], searchable: false } as const;
const writeAccess = { role: 'payments', scopes: ['manage:payments'] } as const;

const ofPayments = { op: 'eq', column: 'interface', value: 'payments' };

const status = z.enum(deliveryStatuses).optional().describe('Only deliveries with this status.');

/** The page of a list, in the format of `readList`. */
const listQuery = ({ limit, offset, descending }: Paging): ListQuery => ({
  page: offset / limit + 1,
  perPage: limit,
  sort: 'created_at',
  descending,
  conditions: [],
});

/** Creates the operations. `options` are those of the deployment. */
export function paymentWebhookOperations({ destinations, functionsUrl }: PaymentWebhookOptions) {
  const shape = (record: WebhookRecord): AdminResult => ({
    record: { ...serializeWebhook(record) },
    version: versionOf(record),
  });
  const render = paymentEvent(functionsUrl);

  /** Runs an operation of payments in one transaction, without a key of payments; the endpoint has one. */
  async function runOnce(
    context: Context,
    run: (attempt: writes.LocalAttempt) => Promise<Completed>,
  ): Promise<AdminResult> {
    let summary = '';
    const attempt: writes.LocalAttempt = {
      begin: async () => {},
      async complete(effect, { kind, snapshot, once, status = 200 }) {
        const rows = await context.write((sql) => ({
          effect: effect(sql),
          snapshot: snapshot(sql),
          summary: selectSummary(sql),
        }));
        summary = oneRow(rows.summary).summary;
        return { status, snapshot: { kind, row: oneRow(rows.snapshot).snapshot }, once };
      },
    };
    const { snapshot, once } = await run(attempt);
    return {
      ...(snapshot.kind === 'webhook' && { version: versionOf(snapshot.row as WebhookRecord) }),
      record: { ...serializeSnapshot(snapshot, functionsUrl), ...once },
      summary,
    };
  }

  return {
    listPaymentWebhooks: operation({
      ...reads,
      path: '/payment-webhooks',
      summary: 'List payment webhooks',
      form: 'page',
      ...byTime,
      data: webhook,
      async run({ paging }, context) {
        const { records, total } = await readList(context, webhookList, listQuery(paging), [ofPayments]);
        return { records: records.map((record) => ({ ...serializeWebhook(record) })), total };
      },
    }),
    createPaymentWebhook: operation({
      ...writeAccess,
      method: 'post',
      path: '/payment-webhooks',
      summary: 'Create a payment webhook',
      callsExternalService: true,
      status: 201,
      body: created,
      data: withSecret,
      versioned: true,
      shownOnce: ['secret'],
      run: ({ body }, context) =>
        runOnce(context, (attempt) => writes.createWebhook(context, attempt, body, destinations)),
    }),
    getPaymentWebhook: operation({
      ...reads,
      path: '/payment-webhooks/:webhook_id',
      summary: 'Get a payment webhook',
      data: webhook,
      versioned: true,
      run: async ({ params }, context) => shape(await getWebhook(context, idIn(params.webhook_id))),
    }),
    listPaymentWebhookKeys: operation({
      ...reads,
      path: '/payment-webhooks/:webhook_id/keys',
      summary: 'Get the public keys of a payment webhook',
      data: keySetResponse,
      async run({ params }, context) {
        const { public_key: publicKey } = await getWebhook(context, idIn(params.webhook_id));
        return { record: { ...keySetOf(publicKey) } };
      },
    }),
    updatePaymentWebhook: operation({
      ...writeAccess,
      method: 'patch',
      path: '/payment-webhooks/:webhook_id',
      summary: 'Update a payment webhook',
      callsExternalService: true,
      body: changed,
      data: webhook,
      versioned: true,
      run: (request, caller) =>
        ifUnchanged(caller, request, async (context, id) => {
          let summary = '';
          const summarizing: Context = {
            ...context,
            async write<const W extends Work>(
              build: (sql: Sql) => W,
              status?: LoggedStatus,
            ): Promise<RowsOf<W>> {
              const rows = await context.write(
                (sql) => ({ work: build(sql), summary: selectSummary(sql) }),
                status,
              );
              summary = oneRow(rows.summary).summary;
              return rows.work;
            },
          };
          const updated = await writes.updateWebhook(summarizing, id, request.body, destinations);
          return { ...shape(updated), summary };
        }),
    }),
    deletePaymentWebhook: operation({
      ...writeAccess,
      method: 'delete',
      path: '/payment-webhooks/:webhook_id',
      summary: 'Delete a payment webhook and its delivery log',
      versioned: true,
      run: (request, caller) =>
        ifUnchanged(caller, request, async (context, id) => {
          await writes.deleteWebhook(context, id);
          return {};
        }),
    }),
    pausePaymentWebhook: operation({
      ...writeAccess,
      method: 'post',
      path: '/payment-webhooks/:webhook_id/pause',
      summary: 'Pause a payment webhook',
      data: webhook,
      versioned: true,
      run: (request, caller) =>
        ifUnchanged(caller, request, (context, id) =>
          runOnce(context, (attempt) => writes.setPaused(attempt, id, true)),
        ),
    }),
    resumePaymentWebhook: operation({
      ...writeAccess,
      method: 'post',
      path: '/payment-webhooks/:webhook_id/resume',
      summary: 'Resume a payment webhook',
      data: webhook,
      versioned: true,
      run: (request, caller) =>
        ifUnchanged(caller, request, (context, id) =>
          runOnce(context, (attempt) => writes.setPaused(attempt, id, false)),
        ),
    }),
    rotatePaymentWebhookSecret: operation({
      ...writeAccess,
      method: 'post',
      path: '/payment-webhooks/:webhook_id/rotate-secret',
      summary: 'Rotate the secret of a payment webhook',
      description: 'For 24 hours, deliveries are also signed with the old secret.',
      data: withSecret,
      versioned: true,
      shownOnce: ['secret'],
      run: (request, caller) =>
        ifUnchanged(caller, request, (context, id) =>
          runOnce(context, (attempt) => writes.rotateWebhookSecret(context, attempt, id)),
        ),
    }),
    testPaymentWebhook: operation({
      ...writeAccess,
      method: 'post',
      path: '/payment-webhooks/:webhook_id/test',
      summary: 'Send a test event to a payment webhook',
      status: 202,
      data: testResponse,
      versioned: 'demanded',
      run: (request, caller) =>
        ifUnchanged(caller, request, (context, id) =>
          runOnce(context, (attempt) => writes.testWebhook(attempt, id)),
        ),
    }),
    replayPaymentWebhook: operation({
      ...writeAccess,
      method: 'post',
      path: '/payment-webhooks/:webhook_id/replay',
      summary: 'Replay the deliveries of a payment webhook',
      status: 202,
      body: replayRequest,
      data: replay,
      versioned: 'demanded',
      run: (request, caller) =>
        ifUnchanged(caller, request, (context, id) =>
          runOnce(context, (attempt) => writes.startReplay(attempt, id, request.body)),
        ),
    }),
    getPaymentReplay: operation({
      ...reads,
      path: '/payment-webhooks/:webhook_id/replays/:replay_id',
      summary: 'Get the progress of a replay',
      data: replay,
      run: async ({ params }, context) => ({
        record: { ...(await getReplay(context, idIn(params.webhook_id), params.replay_id)) },
      }),
    }),
    listPaymentDeliveries: operation({
      ...reads,
      path: '/payment-webhooks/:webhook_id/deliveries',
      summary: 'List the deliveries of a payment webhook',
      form: 'page',
      ...byTime,
      query: z.object({ status }),
      data: delivery,
      async run({ params, query, paging }, context) {
        const id = idIn(params.webhook_id);
        const conditions = [
          { op: 'eq', column: 'endpoint_id', value: id },
          ...(query.status ? [{ op: 'eq', column: 'status', value: query.status }] : []),
        ];
        const { records, total } = await withWebhookErrors(
          readList(context, deliveryList, listQuery(paging), conditions, (sql) =>
            checkReadable(sql, context.tenantId, id, null),
          ),
        );
        return { records: records.map((record) => ({ ...serializeDelivery(record, render) })), total };
      },
    }),
    getPaymentDelivery: operation({
      ...reads,
      path: '/payment-webhooks/:webhook_id/deliveries/:delivery_id',
      summary: 'Get a delivery of a payment webhook',
      data: delivery,
      async run({ params }, context) {
        const record = await getDelivery(context, idIn(params.webhook_id), params.delivery_id);
        return { record: { ...serializeDelivery(record, render) } };
      },
    }),
    replayPaymentDelivery: operation({
      ...writeAccess,
      method: 'post',
      path: '/payment-webhooks/:webhook_id/deliveries/:delivery_id/replay',
      summary: 'Replay a delivery of a payment webhook',
      status: 202,
      data: replayResponse,
      versioned: 'demanded',
      run: (request, caller) =>
        ifUnchanged(caller, request, (context, id) =>
          runOnce(context, (attempt) => writes.replayDelivery(attempt, id, request.params.delivery_id)),
        ),
    }),
  };
}
