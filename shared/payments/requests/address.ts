// The address of a customer, for tax documents.
import { z } from 'zod';
import type { ErrorDetail } from '../../platform/errors.ts';
import { text } from '../../platform/validation.ts';
import { objectOf, optional } from './fields.ts';

const STATES = 'AC AL AP AM BA CE DF ES GO MA MT MS MG PA PB PR PE PI RJ RN RS RO RR SC SP SE TO'.split(' ');

const line = (description: string) => optional(text({ maxLength: 255, filled: true })).describe(description);

export const addressSchema = objectOf({
  line1: line('Street.'),
  number: line('Number of the building.'),
  complement: line('Apartment, floor or the like.'),
  district: line('District (bairro).'),
  city: line('City.'),
  state: line('BR: two letters, such as SP.'),
  postal_code: line('BR: 8 digits, with or without a hyphen.'),
}).meta({ id: 'CustomerAddress', description: 'Address of the customer, for tax documents.' });

/** The address of a customer in the format of the request. */
export type CustomerAddress = Partial<z.output<typeof addressSchema>>;

const part = z.string().optional();

export const addressResponse = z.object({
  line1: part,
  number: part,
  complement: part,
  district: part,
  city: part,
  state: part,
  postal_code: part,
});

/** Violated rules of Brazilian addresses. `at` is the path of the address. */
export function brazilianAddressErrors(address: CustomerAddress | undefined, at: string): ErrorDetail[] {
  const { postal_code: postalCode, state } = address ?? {};
  return [
    ...(state !== undefined && !STATES.includes(state)
      ? [{ field: `${at}.state`, message: `must be one of ${STATES.join(', ')}` }]
      : []),
    ...(postalCode !== undefined && !/^\d{5}-?\d{3}$/.test(postalCode)
      ? [{ field: `${at}.postal_code`, message: 'must have 8 digits, with or without a hyphen' }]
      : []),
  ];
}
