import type { PaymentMethod } from '../providers/provider.ts';

/** Everything that a charge can be collected by, in any region. */
export const paymentMethods = [
  'pix',
  'boleto',
  'bolepix',
  'card',
  'ach_debit',
  'sepa_debit',
  'bank_transfer',
] as const satisfies readonly PaymentMethod[];

/** The methods of each region. A method outside its region's row is the caller's mistake, whether the region is live or not. */
export const methodsByRegion = {
  br: ['pix', 'boleto', 'bolepix', 'card'],
  us: ['card', 'ach_debit', 'bank_transfer'],
  eu: ['card', 'sepa_debit', 'bank_transfer'],
} as const satisfies Record<string, readonly PaymentMethod[]>;
