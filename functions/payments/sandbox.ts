// /sandbox: playing the payer, in staging alone.
import { ApiError } from '../../shared/platform/errors.ts';
import type { Endpoint } from '../../shared/platform/http/app.ts';
import type { Dependencies } from './dependencies.ts';
import { idempotentEndpoint } from './idempotent-endpoint.ts';

const docs = () => import('./openapi.ts');

export function sandboxEndpoints({ sandbox, database, queue, renderer }: Dependencies): Endpoint[] {
  return [
    idempotentEndpoint(renderer, {
      path: '/sandbox/invoices/:id/pay',
      successStatus: 200,
      body: 'optional',
      docs: async () => (await docs()).payInSandboxDocs,
      async run({ context, params, json }, keyed) {
        if (!sandbox) throw new ApiError('not_found', 'There is no sandbox in production.');
        const { payInSandbox } = await import('../../shared/payments/invoices/pay-in-sandbox.ts');
        return await payInSandbox(context, keyed, params.id ?? '', json, { sandbox, database, queue });
      },
    }),
  ];
}
