// Triggers for refunds and disputes: in the sandbox, and those that a provider reports through the control routes of the Asaas emulator
// (`npm start -- --providers`), which act as the payer, the bank or the merchant.
import { wait } from '../../core/wait.ts';
import { CliError } from '../exit-codes.ts';
import { EMULATOR, KEY, type Trigger, type TriggerContext } from './context.ts';
import { newInvoice } from './payments.ts';

interface Payment {
  id: string;
  externalReference: string | null;
}

/** Calls a control route of the emulator. */
async function control({ settings, signal }: TriggerContext, path: string, body?: object): Promise<unknown> {
  const origin = new URL(settings.asaasUrl ?? '').origin;
  const response = await fetch(`${origin}/_control${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    signal,
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  if (response.ok) return response.json();
  throw new CliError(`The Asaas emulator returned ${response.status} for ${path}.`);
}

/** Path of an invoice's charge below `/_control`. */
async function chargeOf(context: TriggerContext, invoiceId: string): Promise<string> {
  // The format in which the emulator lists and shows its accounts.
  const accounts = (await control(context, '/accounts')) as { id: string }[];
  for (const { id: account } of accounts) {
    const { payments } = (await control(context, `/accounts/${account}`)) as {
      payments: Record<string, Payment>;
    };
    const payment = Object.values(payments).find(({ externalReference }) => externalReference === invoiceId);
    if (payment) return `/accounts/${account}/payments/${payment.id}`;
  }
  throw new CliError(
    'The invoice was not created at Asaas. Check in admin.provider_accounts that the tenant is connected.',
  );
}

async function untilPaid({ placar, signal }: TriggerContext, id: string): Promise<void> {
  while ((await placar.invoices.get(id, { signal })).status !== 'paid') await wait(200, signal);
}

const returning = (does: string, step: string, body: object): Trigger => ({
  does: `${does}, in the Asaas emulator (npm start -- --providers)`,
  needs: EMULATOR,
  async run(context) {
    const { id } = await context.placar.invoices.create(newInvoice(), { signal: context.signal });
    const charge = await chargeOf(context, id);
    await control(context, `${charge}/pay`, {});
    await untilPaid(context, id);
    await control(context, `${charge}/${step}`, body);
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
