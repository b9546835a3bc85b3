// Triggers for payment events. The last two digits of an amount control the outcome in the sandbox.
import type { NewInvoice, NewPayout } from '../../payments.ts';
import { KEY, type Trigger, type TriggerContext, unique } from './context.ts';

const AMOUNT = 12_300;
/** The sandbox accepts this amount and lets the payment fail later. */
const FAILING_AMOUNT = 12_317;
/** The sandbox rejects tax documents with this service code. */
const FAILING_SERVICE_CODE = '99.99';

export const newInvoice = (changes: Partial<NewInvoice> = {}): NewInvoice => ({
  customer: { country: 'BR', tax_id: '52998224725', name: 'Maria Silva', email: 'maria@placar.example' },
  amount: AMOUNT,
  currency: 'BRL',
  description: 'placar trigger',
  payment_method: { type: 'pix' },
  ...changes,
});

const PIX = {
  currency: 'BRL',
  bank_account: { type: 'pix', key_type: 'email', key: 'ana@placar.example' },
} as const;

/** Transfers can be canceled until they are sent; Pix is final immediately. */
const TRANSFER = {
  currency: 'EUR',
  bank_account: { type: 'bank_transfer', country: 'DE', iban: 'DE89370400440532013000' },
} as const;

const newPayout = (amount: number, { currency, bank_account }: typeof PIX | typeof TRANSFER): NewPayout => ({
  beneficiary: { name: 'Ana Souza', document: '39053344705', phone: '+5511987654321', bank_account },
  amount,
  currency,
  purpose: 'prize',
});

const invoiceOf = ({ placar, signal }: TriggerContext, changes?: Partial<NewInvoice>) =>
  placar.invoices.create(newInvoice({ contractor_reference: `trigger-${unique()}`, ...changes }), { signal });

const payoutOf = (
  { placar, signal }: TriggerContext,
  amount: number,
  way: typeof PIX | typeof TRANSFER = PIX,
) => placar.payouts.create(newPayout(amount, way), { signal });

/** Codes of IBS and CBS, which Simples Nacional needs from 2027 on. */
const TAX_CODES = {
  nbs_code: '115021000',
  tax_situation_code: '000',
  tax_classification_code: '000001',
  operation_indicator_code: '100301',
};

async function documentOf(context: TriggerContext, serviceCode: string) {
  const { placar, signal } = context;
  const invoice = await invoiceOf(context);
  const request = { type: 'nfse', service_code: serviceCode, taxes: TAX_CODES } as const;
  const document = await placar.invoices.requestTaxDocument(invoice.id, request, { signal });
  return { invoiceId: invoice.id, id: document.id };
}

/** Waits until the sandbox has issued the document: a document that is not issued is dropped instead of canceled. */
async function issued({ placar, signal }: TriggerContext, invoiceId: string, id: string): Promise<void> {
  const { wait } = await import('../../core/wait.ts');
  for (;;) {
    const { status } = await placar.invoices.getTaxDocument(invoiceId, id, { signal });
    if (status === 'issued') return;
    await wait(200, signal);
  }
}

export const paymentTriggers: Record<string, Trigger> = {
  'invoice.paid': {
    does: 'creates a Pix invoice and pays it',
    needs: KEY,
    async run(context) {
      const { id } = await invoiceOf(context);
      await context.placar.invoices.payInSandbox(id, { signal: context.signal });
      return { id };
    },
  },
  'invoice.canceled': {
    does: 'creates an invoice and cancels it',
    needs: KEY,
    async run(context) {
      const { id } = await invoiceOf(context);
      await context.placar.invoices.cancel(id, {}, { signal: context.signal });
      return { id };
    },
  },
  'invoice.failed': {
    does: 'creates a card invoice that fails in the sandbox',
    needs: KEY,
    async run(context) {
      const { id } = await invoiceOf(context, { amount: FAILING_AMOUNT, payment_method: { type: 'card' } });
      return { id };
    },
  },
  'tax_document.issued': {
    does: 'issues a tax document for a new invoice',
    needs: KEY,
    run: async (context) => ({ id: (await documentOf(context, '1.01')).id }),
  },
  'tax_document.failed': {
    does: 'requests a tax document that the sandbox rejects',
    needs: KEY,
    run: async (context) => ({ id: (await documentOf(context, FAILING_SERVICE_CODE)).id }),
  },
  'tax_document.canceled': {
    does: 'issues a tax document and cancels it',
    needs: KEY,
    async run(context) {
      const { invoiceId, id } = await documentOf(context, '1.01');
      await issued(context, invoiceId, id);
      await context.placar.invoices.cancelTaxDocument(invoiceId, id, {}, { signal: context.signal });
      return { id };
    },
  },
  'payout.paid': {
    does: 'creates a payout, which the sandbox settles',
    needs: KEY,
    run: async (context) => ({ id: (await payoutOf(context, AMOUNT)).id }),
  },
  'payout.failed': {
    does: 'creates a payout that fails in the sandbox',
    needs: KEY,
    run: async (context) => ({ id: (await payoutOf(context, FAILING_AMOUNT)).id }),
  },
  'payout.canceled': {
    does: 'creates a bank transfer abroad and cancels it before it is sent',
    needs: KEY,
    async run(context) {
      const { id } = await payoutOf(context, AMOUNT, TRANSFER);
      await context.placar.payouts.cancel(id, {}, { signal: context.signal });
      return { id };
    },
  },
};
