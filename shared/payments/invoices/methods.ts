import type { PaymentMethod } from '../providers/orders.ts';

/** All payment methods, of any region. */
export const paymentMethods = [
  'pix',
  'boleto',
  'bolepix',
  'card',
  'ach_debit',
  'sepa_debit',
  'bank_transfer',
] as const satisfies readonly PaymentMethod[];

/** Payment methods by region. Any other method is a validation error, whether or not the region is live. */
export const methodsByRegion = {
  br: ['pix', 'boleto', 'bolepix', 'card'],
  us: ['card', 'ach_debit', 'bank_transfer'],
  eu: ['card', 'sepa_debit', 'bank_transfer'],
} as const satisfies Record<string, readonly PaymentMethod[]>;
