// Customers at Asaas: one per tenant and tax id, found by our reference, because Asaas does not prevent duplicates.
import { isTaxId } from '../../formats/documents.ts';
import type { CustomerAddress } from '../../requests/address.ts';
import type { Customer } from '../charge-port.ts';
import { InvalidOrder } from '../errors.ts';
import { type AsaasClient, segment } from './client.ts';
import { customer as customerSchema } from './resources.ts';

/** Creates or updates the customer and returns Asaas' id. Throws `InvalidOrder` without a valid tax id. */
export type EnsureCustomer = (client: AsaasClient, customer: Customer) => Promise<string>;

export const createCustomers =
  (tenantId: string): EnsureCustomer =>
  async (client, customer) => {
    const data = dataOf(customer);
    const externalReference = `${tenantId}-${data.cpfCnpj}`;
    for await (const found of client.list('/customers', { externalReference }, customerSchema)) {
      if (found.externalReference !== externalReference || found.deleted) continue;
      const changed = Object.entries(data).some(
        ([name, value]) => spelling(name, found[name as keyof typeof data]) !== value, // entries of `data` have its keys
      );
      const path = `/customers/${segment(found.id)}`;
      if (changed) await client.send({ method: 'PUT', path, body: data }, customerSchema);
      return found.id;
    }
    const body = { ...data, externalReference };
    return (await client.send({ method: 'POST', path: '/customers', body }, customerSchema)).id;
  };

/** Asaas may write postal codes with a hyphen. */
const spelling = (name: string, value: string | boolean | null | undefined) =>
  name === 'postalCode' && typeof value === 'string' ? value.replace(/\D/g, '') : value;

function dataOf({ name, email, tax_id: taxId, phone, address }: Customer) {
  if (!taxId || !isTaxId(taxId)) {
    const rule = taxId
      ? 'must be a CPF or CNPJ'
      : 'is required: Asaas charges only customers with a CPF or CNPJ';
    throw new InvalidOrder([{ field: 'customer.tax_id', message: rule }]);
  }
  return {
    name,
    cpfCnpj: taxId,
    email,
    ...phoneOf(phone),
    ...addressOf(address),
    // Asaas must not notify payers: the tenant does that.
    notificationDisabled: true,
  };
}

/** Only the given parts, so that the others keep their values at Asaas. Asaas derives city and state from the postal code. */
function addressOf(address: CustomerAddress | undefined): Partial<Record<AddressMember, string>> {
  const { line1, number, complement, district, postal_code: postalCode } = address ?? {};
  return {
    ...(line1 !== undefined && { address: line1 }),
    ...(number !== undefined && { addressNumber: number }),
    ...(complement !== undefined && { complement }),
    ...(district !== undefined && { province: district }),
    ...(postalCode !== undefined && { postalCode: postalCode.replace(/\D/g, '') }),
  };
}

type AddressMember = 'address' | 'addressNumber' | 'complement' | 'province' | 'postalCode';

/** Asaas expects Brazilian numbers without +55: eleven digits for mobile phones, ten for landlines. */
function phoneOf(phone: string | undefined): { phone?: string; mobilePhone?: string } {
  const digits = phone?.match(/^\+55(\d{10,11})$/)?.[1];
  if (!digits) return {};
  return digits.length === 11 ? { mobilePhone: digits } : { phone: digits };
}
