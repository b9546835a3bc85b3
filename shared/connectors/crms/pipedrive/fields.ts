// Custom fields: labels for options, numbers for amounts, and back.
import type { CustomValue, CustomValues } from '../crm.ts';
import { CrmRejected } from '../errors.ts';
import type { Field } from './wire.ts';

/** `custom_fields` of a record. */
export type RawFields = Readonly<Record<string, unknown>>;

const NUMBERS = ['double', 'int', 'monetary'];
const RANGES = ['daterange', 'timerange'];
const WITH_DETAILS = ['address', 'time'];

/** The mapped fields of one kind of records. */
export class CustomFields {
  readonly #keys: readonly string[];
  readonly #fields: ReadonlyMap<string, Field>;

  /** @param fields definitions, also of fields that are not mapped */
  constructor(keys: readonly string[], fields: readonly Field[]) {
    this.#keys = keys;
    this.#fields = new Map(fields.map((field) => [field.field_code, field]));
  }

  /** Fields without a value are null. */
  values(raw: RawFields): CustomValues {
    return Object.fromEntries(this.#keys.map((key) => [key, toValue(this.#fields.get(key), raw[key])]));
  }

  isMoney = (key: string): boolean => this.#fields.get(key)?.field_type === 'monetary';

  /**
   * `custom_fields` of a request. An amount keeps the currency that it has in `before`, else has `currency`. Throws `CrmRejected` for a
   * label without an option.
   */
  raw(custom: CustomValues, before: RawFields, currency: string | null | undefined): RawFields {
    return Object.fromEntries(
      Object.entries(custom).map(([key, value]) => {
        if (value === null || !this.isMoney(key)) return [key, toRaw(this.#fields.get(key), value)];
        const code = membersOf(before[key]).currency ?? currency;
        return [key, { value: Number(value), ...(code != null && { currency: code }) }];
      }),
    );
  }
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

function toValue(field: Field | undefined, raw: unknown): CustomValue {
  if (Array.isArray(raw)) return raw.map((each) => String(toValue(field, each)));
  if (typeof raw === 'object' && raw !== null) {
    const { value, until, label } = membersOf(raw);
    return until == null ? toValue(field, label ?? value ?? null) : `${value}/${until}`;
  }
  if (typeof raw === 'boolean') return raw;
  if (typeof raw !== 'string' && typeof raw !== 'number') return null;
  const option = field?.options.find(({ id }) => id === String(raw));
  if (option) return option.label;
  if (typeof raw === 'number') return raw;
  const text = raw.trim() || null;
  return text !== null && NUMBERS.includes(field?.field_type ?? '') ? Number(text) : text;
}

function toRaw(field: Field | undefined, value: CustomValue): unknown {
  if (value === null || field === undefined) return value;
  const { field_type: type } = field;
  const labels = Array.isArray(value) ? value : [String(value)];
  const ids = () => labels.map((label) => optionId(field, label));
  // Pipedrive clears a list of options with null, and rejects an empty list.
  if (type === 'set') return labels.length ? ids() : null;
  if (type === 'enum') return ids()[0] ?? null;
  if (Array.isArray(value)) return value.join(', ');
  if (NUMBERS.includes(type)) return Number(value);
  const [start, until] = String(value).split('/');
  if (RANGES.includes(type)) return { value: start, until };
  return WITH_DETAILS.includes(type) ? { value } : value;
}

function optionId(field: Field, label: string): number | string {
  const option = field.options.find((each) => each.label.trim() === label.trim());
  if (option) return toNumber(option.id);
  const name = field.field_name ?? field.field_code;
  throw new CrmRejected(`The field "${name}" has no option "${label}".`.slice(0, 300));
}

/** Pipedrive rejects ids that are texts. */
export const toNumber = (id: string): number | string => (Number.isSafeInteger(Number(id)) ? Number(id) : id);
