/**
 * The fake of Asaas' API v3: customers, charges with their artifacts, refunds and chargebacks, transfers with withdrawal validation,
 * NFS-e, webhooks and the statement. `control` acts as payers, banks and municipalities.
 */
import { Hono } from 'hono';
import { type FakeEnvironment, type FakeOptions, type RunningFake, startFake } from '../../fakes/fake.ts';
import { addPages } from './artifacts.ts';
import { createControls } from './controls.ts';
import { asaasError, type Desk, deskOf, find, notFound } from './desk.ts';
import { fiscalRoutes } from './fiscal.ts';
import { invoiceJobs, invoiceRoutes } from './invoices.ts';
import { creditWhenDue } from './payment-money.ts';
import { makeOverdue } from './payment-orders.ts';
import { concludeRefund } from './payment-returns.ts';
import type { AsaasEnvironment } from './requests.ts';
import { accountRoutes, customerRoutes, paymentRoutes, requireAccess } from './routes.ts';
import type { Account } from './state.ts';
import { conclude, send, transferRoutes } from './transfers.ts';
import { webhookRoutes, webhookRules } from './webhooks.ts';
import { validateRefund, validateTransfer } from './withdrawal-validation.ts';

export type { AccountOrder, PaymentStep, StepDetails } from './controls.ts';

type AsaasControls = ReturnType<typeof createControls>;
export type Asaas = RunningFake<AsaasControls>;

/** `url` ends in `/v3`. Create accounts with `control.createAccount`. */
export async function startAsaas(options: FakeOptions = {}): Promise<Asaas> {
  const running = await startFake<Account, AsaasControls>('asaas', options, (kit) => {
    const accounts = () => Object.values(kit.state.accounts);
    const desk = (id: string) => deskOf(kit, find(accounts(), id));
    const ownerOf = (key: string | null | undefined) =>
      accounts().find(({ keys }) => keys.some((known) => known.enabled && known.key === key));
    const app = new Hono<FakeEnvironment>();
    app.notFound(() => notFound().toResponse());
    const api = new Hono<AsaasEnvironment>();
    api.use(
      requireAccess((key) => {
        const owner = ownerOf(key);
        return owner && deskOf(kit, owner);
      }),
    );
    api.route('/customers', customerRoutes());
    api.route('/payments', paymentRoutes());
    api.route('/transfers', transferRoutes());
    api.route('/invoices', invoiceRoutes());
    api.route('/', fiscalRoutes());
    api.route('/webhooks', webhookRoutes());
    api.route('/', accountRoutes());
    app.route('/v3', api);
    addPages(app, () => accounts().map((account) => deskOf(kit, account)));
    const about =
      <T extends { id: string }>(
        items: (account: Account) => T[],
        run: (desk: Desk, item: T, more: string) => void | Promise<void>,
      ) =>
      ({ account = '', id = '', more = '' }: Record<string, string>) =>
        run(desk(account), find(items(desk(account).account), id), more);
    const each = <T extends { id: string }>(
      items: (account: Account) => T[],
      jobs: Record<string, (desk: Desk, item: T, more: string) => void | Promise<void>>,
    ) => Object.fromEntries(Object.entries(jobs).map(([name, run]) => [name, about(items, run)]));
    const tooMany = { code: 'too_many_requests', description: 'Limite de requisições excedido.' };
    const limits = { 'RateLimit-Limit': '1000', 'RateLimit-Remaining': '0', 'RateLimit-Reset': '30' };
    const broken = { code: 'internal_error', description: 'Ocorreu um erro interno. Tente novamente.' };
    return {
      app,
      controls: createControls(kit, desk),
      rules: webhookRules(accounts),
      jobs: {
        ...each(({ payments }) => payments, {
          'payments:overdue': makeOverdue,
          'payments:credit': creditWhenDue,
          'payments:refund': (at, payment, id) =>
            concludeRefund(at, payment, find(payment.refunds, id), 'DONE'),
          'refunds:validate': validateRefund,
        }),
        ...each(({ transfers }) => transfers, {
          'transfers:validate': validateTransfer,
          'transfers:send': send,
          'transfers:conclude': conclude,
        }),
        ...each(({ invoices }) => invoices, invoiceJobs),
      },
      accountOf: (headers) => ownerOf(headers.get('access_token'))?.id,
      rateLimited: () => asaasError(429, [tooMany], limits).toResponse(),
      serverError: (status) => asaasError(status, [broken]).toResponse(),
    };
  });
  return { ...running, url: `${running.url}/v3` };
}
