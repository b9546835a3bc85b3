// Which methods of a provider have spans.
import { expect, test } from 'vitest';
import { traceOperations } from '../../../../shared/payments/provider-registry/set-up-providers.ts';
import type { PaymentProvider } from '../../../../shared/payments/providers/provider.ts';
import { runInScope } from '../../../../shared/platform/tracing/scope.ts';
import { Span } from '../../../../shared/platform/tracing/span.ts';
import { Trace } from '../../../../shared/platform/tracing/trace.ts';
import { newTraceId } from '../../../../shared/platform/tracing/traceparent.ts';

test('every method of every port has a span, and checks of deliveries have none', async () => {
  const names: string[] = [];
  const telemetry = {
    sampleRatio: 1,
    exportSpans: (spans: readonly Span[]) => void names.push(...spans.map(({ name }) => name)),
    countDropped: () => {},
  };
  const trace = new Trace({ id: newTraceId(), telemetry });
  const server = new Span(trace, undefined, 'server', 'POST /');
  const call = async () => undefined;
  // Only the names of the members matter here.
  const provider = {
    name: 'asaas',
    charges: { create: call, pages: { renew: call } },
    refunds: { find: call },
    payouts: { resendPolicy: 'at_once', create: call },
    taxDocuments: { issue: call },
    inspectAccount: call,
    verifyDelivery: call,
  };
  await runInScope({ trace, spanId: server.id, span: server }, async () => {
    const traced = traceOperations(provider as unknown as PaymentProvider) as unknown as typeof provider;
    await traced.charges.create();
    await traced.charges.pages.renew();
    await traced.refunds.find();
    await traced.payouts.create();
    await traced.taxDocuments.issue();
    await traced.inspectAccount();
    await traced.verifyDelivery();
    expect(traced.payouts.resendPolicy).toBe('at_once');
  });
  trace.close();
  expect(names).toEqual([
    'asaas charges.create',
    'asaas charges.pages.renew',
    'asaas refunds.find',
    'asaas payouts.create',
    'asaas taxDocuments.issue',
    'asaas inspectAccount',
  ]);
});
