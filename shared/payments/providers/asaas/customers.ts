// Customers at Asaas: one for each tax number that a tenant charges, found by our own reference, because Asaas lets the same
// customer exist twice.
import { isTaxId } from '../../formats/documents.ts';
import { type Customer, InvalidOrder } from '../provider.ts';
import { type AsaasClient, segment } from './client.ts';
import { customer as customerSchema } from './resources.ts';

export interface Customers {
  /** Asaas' id of the customer, with the data as given. Throws `InvalidOrder` without a tax number. */
  ensure(customer: Customer, signal: AbortSignal): Promise<string>;
}

export function createCustomers(client: AsaasClient, tenantId: string): Customers {
  return {
    async ensure(customer, signal) {
      const data = dataOf(customer);
      const externalReference = `${tenantId}-${data.cpfCnpj}`;
      for await (const found of client.list('/customers', { externalReference }, customerSchema, signal)) {
        if (found.externalReference !== externalReference || found.deleted) continue;
        const changed = Object.entries(data).some(
          ([name, value]) => found[name as keyof typeof data] !== value, // entries of `data` have its keys
        );
        const path = `/customers/${segment(found.id)}`;
        if (changed) await client.send({ method: 'PUT', path, body: data }, customerSchema, signal);
        return found.id;
      }
      const body = { ...data, externalReference };
      return (await client.send({ method: 'POST', path: '/customers', body }, customerSchema, signal)).id;
    },
  };
}

function dataOf({ name, email, taxId, phone }: Customer) {
  if (!taxId || !isTaxId(taxId)) {
    const rule = taxId ? 'must be a CPF or CNPJ' : 'is required: Asaas charges nobody without a CPF or CNPJ';
    throw new InvalidOrder([{ field: 'customer.tax_id', message: rule }]);
  }
  return {
    name,
    cpfCnpj: taxId,
    email,
    ...phoneOf(phone),
    // Payers hear from the tenant, not from Asaas.
    notificationDisabled: true,
  };
}

/** Asaas takes Brazilian numbers without +55: eleven digits of a mobile, ten of a landline. */
function phoneOf(phone: string | undefined): { phone?: string; mobilePhone?: string } {
  const digits = phone?.match(/^\+55(\d{10,11})$/)?.[1];
  if (!digits) return {};
  return digits.length === 11 ? { mobilePhone: digits } : { phone: digits };
}
