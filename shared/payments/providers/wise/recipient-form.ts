// Fills in Wise's recipient form and collects the request members that are missing or invalid.
import { type Payee, pathOf, requestMemberFor } from './recipient-fields.ts';
import type { Form, Requirement } from './wire.ts';

export interface FilledForm {
  type: string;
  /** Keyed by Wise's field keys, such as `address.city`. */
  values: Map<string, string>;
  /** Keys whose values determine which other fields the form has. */
  refreshing: string[];
  faults: { field: string; message: string }[];
  /** Whether the form has a field for the account identifier in the request, only for another identifier, or for none. */
  takes: 'this_account' | 'another_account' | 'no_account';
}

/** The form that accepts the account and has the fewest faults, in Wise's order. Undefined if no form accepts a bank account. */
export function chooseForm(forms: Form[], payee: Payee, currency: string): FilledForm | undefined {
  const order = ['this_account', 'another_account'];
  return forms
    .map((form) => fillForm(form, payee, currency))
    .filter(({ takes }) => takes !== 'no_account')
    .sort(
      (one, other) =>
        order.indexOf(one.takes) - order.indexOf(other.takes) || one.faults.length - other.faults.length,
    )[0];
}

export function fillForm({ type, fields }: Form, payee: Payee, currency: string): FilledForm {
  const filled: FilledForm = { type, values: new Map(), refreshing: [], faults: [], takes: 'no_account' };
  for (const field of fields) {
    const member = requestMemberFor(type, field.key);
    const value = member?.value(payee);
    if (member?.identifies === 'account' && filled.takes !== 'this_account')
      filled.takes = value === undefined ? 'another_account' : 'this_account';
    if (!field.required && !member?.always) continue;
    const { wire, rule } =
      value === undefined ? { rule: 'is required' } : checkValue(field, value, member?.synonyms?.[value]);
    if (wire !== undefined) {
      filled.values.set(field.key, wire);
      if (field.refreshRequirementsOnChange) filled.refreshing.push(field.key);
    } else if (field.required) {
      addFault(filled.faults, pathOf(type, field.key), `${rule} for a payout in ${currency}`);
    }
  }
  return filled;
}

/** Adds at most one fault per request member, because a member may fill two of Wise's fields. */
export function addFault(faults: FilledForm['faults'], field: string, message: string): void {
  if (!faults.some((fault) => fault.field === field)) faults.push({ field, message });
}

/** Longer lists of allowed values are left out of the message. */
const MAX_LISTED_VALUES = 12;

/** Returns the value in Wise's notation, or the rule that it violates. */
function checkValue(field: Requirement, value: string, synonym = value): { wire?: string; rule: string } {
  const { valuesAllowed: allowed, minLength, maxLength, validationRegexp: pattern } = field;
  if (allowed) {
    const wanted = [value, synonym].map((text) => text.toLowerCase());
    const choice =
      allowed.find(({ key }) => wanted.includes(key.toLowerCase())) ??
      allowed.find(({ name }) => name && wanted.includes(name.toLowerCase()));
    if (choice) return { wire: choice.key, rule: '' };
    const keys = allowed.map(({ key }) => key).filter(Boolean);
    return {
      rule:
        keys.length > MAX_LISTED_VALUES
          ? 'must be a value that Wise supports'
          : `must be one of ${keys.join(', ')}`,
    };
  }
  if (minLength !== undefined && value.length < minLength)
    return { rule: `must have at least ${minLength} characters` };
  if (maxLength !== undefined && value.length > maxLength)
    return { rule: `must have at most ${maxLength} characters` };
  if (pattern !== undefined && !fits(value, pattern))
    return { rule: 'does not have the format that Wise requires' };
  return { wire: value, rule: '' };
}

/** Whether a value matches Wise's pattern. True for patterns that JavaScript cannot compile: Wise checks those itself. */
export function fits(value: string, pattern: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`).test(value);
  } catch {
    return true;
  }
}

/** `address.city` becomes `{address: {city}}`. */
export function detailsOf(values: Map<string, string>): Record<string, unknown> {
  const details: Record<string, unknown> = {};
  for (const [key, value] of values) {
    const [outer = key, inner] = key.split('.', 2);
    if (inner === undefined) details[outer] = value;
    else {
      const nested = details[outer];
      details[outer] = { ...(typeof nested === 'object' ? nested : {}), [inner]: value };
    }
  }
  return details;
}
