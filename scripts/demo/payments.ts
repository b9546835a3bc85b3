// Invoices of each payment method (paid, open and failed), payouts and tax documents.
import type { Placar } from '../../clients/typescript/src/index.ts';
import type { NewInvoice, NewPayout } from '../../clients/typescript/src/payments.ts';
import type { Made } from './create-demo-data.ts';
import { people } from './people.ts';

type Method = NewInvoice['payment_method']['type'];

interface Bill {
  name: string;
  text: string;
  amount: number;
  method: Method;
  paid?: boolean;
  documented?: boolean;
}

const BILLS: readonly Bill[] = [
  {
    name: 'Padaria Central',
    text: 'Annual plan',
    amount: 239_800,
    method: 'pix',
    paid: true,
    documented: true,
  },
  { name: 'Hotel Mirante', text: 'Onboarding', amount: 84_990, method: 'card', paid: true },
  { name: 'Mercado Sol', text: 'Extra seats, May', amount: 31_500, method: 'boleto' },
  { name: 'Vinícola Serra', text: 'Pilot, three months', amount: 129_700, method: 'bolepix', paid: true },
  { name: 'Café do Porto', text: 'Monthly plan', amount: 19_990, method: 'card' },
  // Ends in 17, so the sandbox declines the card.
  { name: 'Oficina Dois Irmãos', text: 'Monthly plan', amount: 21_017, method: 'card' },
  { name: 'Escola Horizonte', text: 'Renewal', amount: 198_000, method: 'pix', paid: true },
  { name: 'Studio Cinco', text: 'Monthly plan', amount: 19_990, method: 'pix' },
  { name: 'Construtora Ipê', text: 'Annual plan', amount: 412_500, method: 'boleto', paid: true },
  { name: 'Farmácia Vida', text: 'Onboarding', amount: 84_990, method: 'bolepix' },
];

/** Codes of IBS and CBS, which Simples Nacional needs from 2027 on. */
const TAX_CODES = {
  nbs_code: '115021000',
  tax_situation_code: '000',
  tax_classification_code: '000001',
  operation_indicator_code: '100301',
};

const invoiceOf = ({ name, text, amount, method, documented = false }: Bill): NewInvoice => ({
  customer: {
    country: 'BR',
    tax_id: '52998224725',
    name,
    email: `billing@${name
      .normalize('NFD')
      .replace(/[^A-Za-z]/g, '')
      .toLowerCase()}.example`,
  },
  amount,
  currency: 'BRL',
  description: text,
  payment_method: { type: method },
  ...(documented && { tax_document: { auto_issue: true, service_code: '01.07', taxes: TAX_CODES } }),
});

const prize = (name: string, email: string, amount: number): NewPayout => ({
  beneficiary: {
    name,
    document: '39053344705',
    phone: '+5511987654321',
    bank_account: { type: 'pix', key_type: 'email', key: email },
  },
  amount,
  currency: 'BRL',
  purpose: 'prize',
});

export async function createDemoPayments(placar: Placar): Promise<Made> {
  for (const bill of BILLS) {
    const { id } = await placar.invoices.create(invoiceOf(bill));
    if (bill.paid) await placar.invoices.payInSandbox(id);
  }
  const amounts = [15_000, 10_000, 7517];
  for (const [index, amount] of amounts.entries()) {
    const { name, email } = people[index] ?? { name: 'Ana Souza', email: 'ana@demo.example' };
    await placar.payouts.create(prize(name, email, amount));
  }
  return { invoices: BILLS.length, payouts: amounts.length };
}
