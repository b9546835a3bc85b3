// Values of mapped custom fields, to and from what the CRM has. Definitions are read when they are first needed, once per connection.
import type { ConnectOptions, CustomValue, CustomValues, WritableKind } from './crm.ts';
import { CrmRejected } from './errors.ts';

/** The definition of a field, besides what only the CRM's own conversions need. */
export interface CustomField {
  key: string;
  /** In errors. */
  name: string;
  /** Empty if its values are no options. */
  options: readonly { label: string; value: string | number }[];
  /** Whether it has several options. */
  isList: boolean;
  /** Whether labels without an option may be written. */
  isOpen?: boolean;
}

/** How a CRM stores values. The field is undefined if it is not defined in the CRM. */
interface Format<Field extends CustomField> {
  customKeys: ConnectOptions['customKeys'];
  /** Reads the definitions of all fields of a kind. */
  read(kind: WritableKind): Promise<readonly Field[]>;
  /** Options as their values. */
  toValue(raw: unknown, field: Field | undefined): CustomValue;
  /** Options as their values. Throws `CrmRejected` for what the field cannot have. */
  fromValue(value: CustomValue | number[], field: Field | undefined, key: string): unknown;
}

type Raws = Readonly<Record<string, unknown>>;

/** The mapped fields of a kind of records. */
export interface CustomFields<Field extends CustomField> {
  /** Undefined if it is not defined in the CRM. */
  field(key: string): Field | undefined;
  /** All mapped fields, with labels of options. Those without a value are null. */
  toValues(raws: Raws): CustomValues;
  /** Throws `CrmRejected` for a value that its field cannot have. */
  fromValues(values: CustomValues): Raws;
}

export function createCustomFields<Field extends CustomField>(format: Format<Field>) {
  const { customKeys, read, toValue, fromValue } = format;
  const loaded: Partial<Record<WritableKind, CustomFields<Field>>> = {};
  return async (kind: WritableKind): Promise<CustomFields<Field>> => {
    if (loaded[kind]) return loaded[kind];
    const keys = customKeys[kind];
    const definitions = keys.length ? await read(kind) : [];
    const fields = new Map(definitions.map((field) => [field.key, field]));
    loaded[kind] = {
      field: (key) => fields.get(key),
      toValues: (raws) =>
        Object.fromEntries(
          keys.map((key) => [key, toLabels(toValue(raws[key], fields.get(key)), fields.get(key))]),
        ),
      fromValues: (values) =>
        Object.fromEntries(
          Object.entries(values).map(([key, value]) => {
            const field = fields.get(key);
            return [key, fromValue(toOptions(value, field), field, key)];
          }),
        ),
    };
    return loaded[kind];
  };
}

function toLabels(value: CustomValue, field: CustomField | undefined): CustomValue {
  if (value === null || !field?.options.length) return value;
  const labelOf = (one: string | number | boolean) =>
    field.options.find((option) => String(option.value) === String(one))?.label ?? one;
  return Array.isArray(value) ? value.map((one) => String(labelOf(one))) : labelOf(value);
}

function toOptions(value: CustomValue, field: CustomField | undefined): CustomValue | number[] {
  if (value === null || !field || !(field.options.length || field.isOpen)) return value;
  const labels = (Array.isArray(value) ? value : [value]).map((label) => String(label).trim());
  if (labels.length > 1 && !field.isList)
    throw new CrmRejected(`The field "${field.name}" has one option only.`);
  const values = labels.map((label) => {
    const option = field.options.find((known) => known.label.trim() === label);
    if (!option && !field.isOpen)
      throw new CrmRejected(`The field "${field.name}" has no option "${label.slice(0, 200)}".`);
    return option?.value ?? label;
  });
  return field.isList ? (values as string[] | number[]) : (values[0] ?? null);
}
