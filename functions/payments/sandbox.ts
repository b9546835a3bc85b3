// Endpoints of /sandbox: simulate the payer and the payer's bank, in staging only.
import type { SandboxControls } from '../../shared/payments/providers/sandbox/controls.ts';
import type { Endpoints } from '../../shared/platform/http/endpoint.ts';
import type { Dependencies } from './dependencies.ts';
import { idempotentEndpoint } from './idempotent-endpoint.ts';

const payer = () => import('../../shared/payments/sandbox/payer.ts');

type SandboxDependencies = Pick<Dependencies, 'database' | 'queue' | 'providers' | 'functionsUrl'> & {
  sandbox: SandboxControls;
};

export function sandboxEndpoints({ sandbox, database, queue, providers, functionsUrl }: SandboxDependencies) {
  return {
    payInSandbox: idempotentEndpoint(functionsUrl, {
      path: '/sandbox/invoices/:id/pay',
      async load() {
        const { parseSandboxPayment, payInSandbox } = await payer();
        return (attempt, { json, params }, context) => {
          const order = { ...params, ...parseSandboxPayment(json) };
          return payInSandbox(context, attempt, order, sandbox, { database, queue, providers });
        };
      },
    }),
    disputeInSandbox: idempotentEndpoint(functionsUrl, {
      path: '/sandbox/invoices/:id/dispute',
      async load() {
        const { disputeInSandbox, parseDispute } = await payer();
        return (attempt, { json, params }, context) =>
          disputeInSandbox(context, attempt, { id: params.id, outcome: parseDispute(json) });
      },
    }),
    settleRefundInSandbox: idempotentEndpoint(functionsUrl, {
      path: '/sandbox/refunds/:id/settle',
      async load() {
        const { settleRefundInSandbox } = await payer();
        return (attempt, { params }, context) =>
          settleRefundInSandbox(context, attempt, params, sandbox, { database, queue, providers });
      },
    }),
  } satisfies Endpoints;
}
