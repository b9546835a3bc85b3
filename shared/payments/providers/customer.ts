import type { Customer } from './provider.ts';

/** The address of a customer in the format of the request. */
export interface CustomerAddress {
  line1?: string | undefined;
  number?: string | undefined;
  complement?: string | undefined;
  district?: string | undefined;
  city?: string | undefined;
  /** BR: two letters. */
  state?: string | undefined;
  /** BR: 8 digits, with or without a hyphen. */
  postal_code?: string | undefined;
}

/** The customer of an invoice in the format of the request. */
export interface InvoiceCustomer {
  country: string;
  tax_id?: string;
  name: string;
  email: string;
  phone?: string;
  address?: CustomerAddress;
}

/** Converts the customer of an invoice to the format of provider orders. */
export const customerOf = ({
  country,
  name,
  email,
  tax_id: taxId,
  phone,
  address,
}: InvoiceCustomer): Customer => ({
  country,
  name,
  email,
  taxId,
  phone,
  address,
});
