// Triggers for refunds and disputes: in the sandbox, and those that a provider reports: with the controls of Asaas' fake
// (`npm start -- --providers`).
import { wait } from '../../core/wait.ts';
import { CliError } from '../exit-codes.ts';
import { FAKE, KEY, type Trigger, type TriggerContext } from './context.ts';
import { newInvoice } from './payments.ts';

interface Payment {
  id: string;
  externalReference: string | null;
}

/** Calls a control of Asaas' fake: `payment` acts as the payer, the bank or the merchant. */
async function control(
  { settings, signal }: TriggerContext,
  name: string,
  ...args: unknown[]
): Promise<unknown> {
  const { origin } = new URL(settings.asaasUrl ?? '');
  const response = await fetch(`${origin}/_control/${name}`, {
    method: 'POST',
    body: JSON.stringify(args),
    signal,
  });
  if (response.ok) return response.json();
  throw new CliError(`The fake of Asaas returned ${response.status} for ${name}.`);
}

/** The account and the payment of an invoice at Asaas. */
async function chargeOf(
  context: TriggerContext,
  invoiceId: string,
): Promise<[account: string, payment: string]> {
  const accounts = (await control(context, 'accounts')) as string[];
  for (const account of accounts) {
    const { payments } = (await control(context, 'account', account, 'payments')) as { payments: Payment[] };
    const payment = payments.find(({ externalReference }) => externalReference === invoiceId);
    if (payment) return [account, payment.id];
  }
  throw new CliError(
    'The invoice was not created at Asaas. Check in admin.provider_accounts that the tenant is connected.',
  );
}

async function untilPaid({ placar, signal }: TriggerContext, id: string): Promise<void> {
  while ((await placar.invoices.get(id, { signal })).status !== 'paid') await wait(200, signal);
}

const returning = (does: string, step: string, body: object): Trigger => ({
  does: `${does}, in the fake of Asaas (npm start -- --providers)`,
  needs: FAKE,
  async run(context) {
    const { id } = await context.placar.invoices.create(newInvoice(), { signal: context.signal });
    const charge = await chargeOf(context, id);
    await control(context, 'payment', ...charge, 'pay', {});
    await untilPaid(context, id);
    await control(context, 'payment', ...charge, step, body);
    return { id };
  },
});

/** The sandbox accepts a refund of this amount and lets it fail later. */
const FAILING_REFUND = 117;

const refunding = (does: string, amount: number): Trigger => ({
  does,
  needs: KEY,
  async run({ placar, signal }) {
    const { id } = await placar.invoices.create(newInvoice(), { signal });
    await placar.invoices.payInSandbox(id, { signal });
    const refund = await placar.invoices.refund(id, { amount }, { signal });
    return { id: refund.id };
  },
});

export const refundTriggers: Record<string, Trigger> = {
  'invoice.refund.created': refunding('pays an invoice and refunds a part', 100),
  'invoice.refund.succeeded': refunding('pays an invoice and refunds a part, which the sandbox settles', 100),
  'invoice.refund.failed': refunding(
    'pays an invoice and refunds a part, which fails in the sandbox',
    FAILING_REFUND,
  ),
  'invoice.dispute_closed': {
    does: 'pays an invoice, disputes it as the payer and wins the dispute',
    needs: KEY,
    async run({ placar, signal }) {
      const { id } = await placar.invoices.create(newInvoice(), { signal });
      await placar.invoices.payInSandbox(id, { signal });
      await placar.invoices.disputeInSandbox(id, 'won', { signal });
      return { id };
    },
  },
  'invoice.refunded': returning('creates an invoice, pays it and refunds it', 'refund', {}),
  'invoice.disputed': returning('creates an invoice, pays it and disputes it as the payer', 'chargeback', {
    step: 'request',
  }),
};
