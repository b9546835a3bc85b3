// Endpoints of /sandbox: simulate the payer, in staging only.
import type { SandboxControls } from '../../shared/payments/providers/sandbox/controls.ts';
import type { Endpoints } from '../../shared/platform/http/endpoint.ts';
import type { Dependencies } from './dependencies.ts';
import { idempotentEndpoint } from './idempotent-endpoint.ts';

type SandboxDependencies = Pick<Dependencies, 'database' | 'queue' | 'providers' | 'functionsUrl'> & {
  sandbox: SandboxControls;
};

export function sandboxEndpoints({ sandbox, database, queue, providers, functionsUrl }: SandboxDependencies) {
  return {
    payInSandbox: idempotentEndpoint(functionsUrl, {
      path: '/sandbox/invoices/:id/pay',
      scopes: ['payments:write'],
      successStatus: 200,
      body: 'optional',
      async load() {
        const { parseSandboxPayment, payInSandbox } = await import(
          '../../shared/payments/providers/sandbox/pay.ts'
        );
        return ({ json, params }, context) => {
          const order = { ...params, ...parseSandboxPayment(json) };
          return payInSandbox(context, order, sandbox, { database, queue, providers });
        };
      },
    }),
  } satisfies Endpoints;
}
