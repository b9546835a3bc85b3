import type { CustomerAddress } from '../requests/address.ts';
import type { Customer } from './orders.ts';

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
