// How money goes back, which happens at a provider alone: at the emulator of Asaas of `npm start -- --providers`, whose
// control routes do what a payer, a bank or the merchant's panel would.
import { wait } from '../../core/wait.ts';
import { CliError } from '../exit-codes.ts';
import { EMULATOR, type Trigger, type TriggerContext } from './context.ts';
import { newInvoice } from './payments.ts';

interface Payment {
  id: string;
  externalReference: string | null;
}

/** Asks the control routes of the emulator. */
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
  throw new CliError(`The emulator of Asaas answered ${response.status} at ${path}.`);
}

/** Where the charge of an invoice is, below `/_control`. */
async function chargeOf(context: TriggerContext, invoiceId: string): Promise<string> {
  // As the emulator lists and shows its accounts.
  const accounts = (await control(context, '/accounts')) as { id: string }[];
  for (const { id: account } of accounts) {
    const { payments } = (await control(context, `/accounts/${account}`)) as {
      payments: Record<string, Payment>;
    };
    const payment = Object.values(payments).find(({ externalReference }) => externalReference === invoiceId);
    if (payment) return `/accounts/${account}/payments/${payment.id}`;
  }
  throw new CliError(
    'The invoice did not go to Asaas: is the tenant connected there? admin.provider_accounts says.',
  );
}

async function untilPaid({ placar, signal }: TriggerContext, id: string): Promise<void> {
  while ((await placar.invoices.get(id, { signal })).status !== 'paid') await wait(200, signal);
}

const returning = (does: string, step: string, body: object): Trigger => ({
  does: `${does}, at the emulator of npm start -- --providers`,
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

export const refundTriggers: Record<string, Trigger> = {
  'invoice.refunded': returning('makes an invoice, pays it and gives the money back', 'refund', {}),
  'invoice.disputed': returning('makes an invoice, pays it and has the payer dispute it', 'chargeback', {
    step: 'request',
  }),
};
