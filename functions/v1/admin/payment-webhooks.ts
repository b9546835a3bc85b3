// Operations of the admin API: payment webhooks. They use the code of payments, and the response envelopes of records.
import { selectSummary } from '../../../shared/administration/statements.ts';
import { getWebhook } from '../../../shared/payments/webhooks/reads.ts';
import {
  newWebhook,
  webhookChange,
  webhookResponse,
  webhookWithSecret,
} from '../../../shared/payments/webhooks/schema.ts';
import { serializeWebhook } from '../../../shared/payments/webhooks/serialize.ts';
import * as writes from '../../../shared/payments/webhooks/writes.ts';
import type { Context, LoggedStatus } from '../../../shared/platform/access/context.ts';
import { oneRow, type RowsOf, type Sql, type Work } from '../../../shared/platform/db/database.ts';
import { readList } from '../../../shared/records/list.ts';
import { versionOf } from '../../../shared/records/versions.ts';
import { webhookList } from '../../../shared/records/webhooks/reads.ts';
import { keySetOf } from '../../../shared/webhooks/delivery/signed-request.ts';
import type { DestinationRules } from '../../../shared/webhooks/management/check-url.ts';
import type { WebhookRecord } from '../../../shared/webhooks/management/queries.ts';
import { keySetResponse } from '../../../shared/webhooks/management/schema.ts';
import { type AdminResult, operation } from './operation.ts';
import { paymentDeliveryOperations } from './payment-deliveries.ts';
import { byTime, listQuery, reads, runOnce, writeAccess } from './payment-webhook-run.ts';
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

const ofPayments = { op: 'eq', column: 'interface', value: 'payments' };

/** Creates the operations. `options` are those of the deployment. */
export function paymentWebhookOperations({ destinations, functionsUrl }: PaymentWebhookOptions) {
  const shape = (record: WebhookRecord): AdminResult => ({
    record: { ...serializeWebhook(record) },
    version: versionOf(record),
  });
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
        runOnce(context, functionsUrl, (attempt) =>
          writes.createWebhook(context, attempt, body, destinations),
        ),
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
          runOnce(context, functionsUrl, (attempt) => writes.setPaused(attempt, id, true)),
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
          runOnce(context, functionsUrl, (attempt) => writes.setPaused(attempt, id, false)),
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
          runOnce(context, functionsUrl, (attempt) => writes.rotateWebhookSecret(context, attempt, id)),
        ),
    }),
    ...paymentDeliveryOperations(functionsUrl),
  };
}
