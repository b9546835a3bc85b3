import type { Customer } from './provider.ts';

/** The customer of an invoice, as callers named them. */
export interface InvoiceCustomer {
  country: string;
  tax_id?: string;
  name: string;
  email: string;
  phone?: string;
}

/** A customer as providers are told. */
export const customerOf = ({ country, name, email, tax_id: taxId, phone }: InvoiceCustomer): Customer => ({
  country,
  name,
  email,
  taxId,
  phone,
});
