// Filling the form that Wise wants of a recipient, and saying which members of the request it lacks.
import { type Payee, pathOf, requestMemberFor } from './recipient-fields.ts';
import type { Form, Requirement } from './wire.ts';

export interface FilledForm {
  type: string;
  /** By Wise's keys, such as `address.city`. */
  values: Map<string, string>;
  /** Keys whose value decides what else is asked. */
  refreshing: string[];
  faults: { field: string; message: string }[];
  /** Whether it has a place for the account that the request names; else, whether it has one for any. */
  takes: 'this_account' | 'another_account' | 'no_account';
}

/** The form that takes the account and lacks least, as Wise prefers them; nothing where Wise pays no bank accounts. */
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
      value === undefined ? { rule: 'is required' } : checked(field, value, member?.synonyms?.[value]);
    if (wire !== undefined) {
      filled.values.set(field.key, wire);
      if (field.refreshRequirementsOnChange) filled.refreshing.push(field.key);
    } else if (field.required) {
      addFault(filled.faults, pathOf(type, field.key), `${rule} for a payout in ${currency}`);
    }
  }
  return filled;
}

/** One fault a member is enough: two fields of Wise's may be filled by the same one. */
export function addFault(faults: FilledForm['faults'], field: string, message: string): void {
  if (!faults.some((fault) => fault.field === field)) faults.push({ field, message });
}

/** As many choices as a message lists. */
const MAX_LISTED_VALUES = 12;

/** The value as Wise writes it, or the rule that it breaks. */
function checked(field: Requirement, value: string, synonym = value): { wire?: string; rule: string } {
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
        keys.length > MAX_LISTED_VALUES ? 'must be one that Wise knows' : `must be one of ${keys.join(', ')}`,
    };
  }
  if (minLength !== undefined && value.length < minLength)
    return { rule: `must have at least ${minLength} characters` };
  if (maxLength !== undefined && value.length > maxLength)
    return { rule: `must have at most ${maxLength} characters` };
  if (pattern !== undefined && !fits(value, pattern)) return { rule: 'is not in the form that Wise takes' };
  return { wire: value, rule: '' };
}

/** Patterns are of another language than ours: one that cannot be read here is left to Wise. */
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
      const before = details[outer];
      details[outer] = { ...(typeof before === 'object' ? before : {}), [inner]: value };
    }
  }
  return details;
}
