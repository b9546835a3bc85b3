// The operation of the tool request_payout: a payout that waits for approval.
import { clientOf, personOf } from '../../shared/platform/access/context.ts';
import { sha256Hex } from '../../shared/platform/crypto.ts';
import { endpoint } from '../../shared/platform/http/endpoint.ts';
import { fingerprintOf } from '../../shared/platform/idempotency/key.ts';
import { metaOf, recordsErrorFormat } from '../../shared/platform/request/error-formats.ts';

const PATH = '/payouts';

export const payoutRequestEndpoint = endpoint({
  method: 'post',
  path: PATH,
  scopes: ['request:payouts'],
  body: 'required',
  async handle({ actor, headers, json, requestContext, context }) {
    const { requestPayout } = await import('../../shared/payments/payouts/request.ts');
    const request = {
      key: ownKey(clientOf(actor) ?? personOf(actor) ?? '', headers.get('idempotency-key') ?? ''),
      fingerprint: fingerprintOf('POST', `/mcp${PATH}`, json),
      successStatus: 201,
      formatError: (error: Parameters<typeof recordsErrorFormat>[0]) =>
        recordsErrorFormat(error, requestContext),
    };
    const outcome = await requestPayout(context(201), request, json);
    if (!('payout' in outcome)) return outcome;
    const { payout } = outcome;
    const summary = `Requested payout ${payout.id}. It waits for approval.`;
    return { status: 201, body: { data: payout, meta: { ...metaOf(requestContext.requestId), summary } } };
  },
});

/** Idempotency-Keys of payments belong to the tenant. This one belongs to the client or person, so it cannot collide with those of API keys. */
const ownKey = (ownerId: string, key: string) => `mcp-${sha256Hex(`${ownerId}\n${key}`)}`;
