// A record of a CRM in the form that `app.apply_crm_records` takes, and values of ours in the CRM's form.
import { z } from 'zod';
import { email } from '../../platform/validation.ts';
import { MAX_VALUE } from '../../records/fields.ts';
import type {
  CrmActivity,
  CrmDeal,
  CrmLead,
  CrmRecords,
  CrmValues,
  CustomValue,
  CustomValues,
  RecordKind,
  WritableKind,
} from '../crms/crm.ts';
import type { CrmSettings } from './account.ts';

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** A value that does not fit here. The rest of the record goes on. */
interface Fault {
  kind: 'invalid_value';
  field: string;
  theirs: Json;
}

export interface PreparedRecord {
  id: string;
  /** Absent from a record that is gone. */
  updated_at?: string;
  values?: Record<string, Json>;
  [member: string]: unknown;
}

const isoDate = z.iso.date();
const MAX_SHORT = 255;
const MAX_LONG = 10_000;
const MAX_CUSTOM_BYTES = 16 * 1024;
const CUSTOM = 'custom_fields.';

/** Text that Postgres can store, in the Unicode form in which records keep it, cut to our limit. */
const cut = (text: string | null, maxLength = MAX_SHORT): string | null =>
  text === null
    ? null
    : [...text.replaceAll('\u0000', '').toWellFormed().normalize('NFC')]
        .slice(0, maxLength)
        .join('')
        .trim() || null;

const asText = (value: CustomValue): string | null =>
  value === null ? null : cut(Array.isArray(value) ? value.join(', ') : String(value));

const asCustom = (value: CustomValue): Json =>
  typeof value === 'string'
    ? cut(value, MAX_LONG)
    : Array.isArray(value)
      ? value.flatMap((item) => cut(item) ?? [])
      : value;

/** The mapped members with their values. Custom fields that are too large together are left out. */
function mapFields(
  mapped: Record<string, string> = {},
  custom: CustomValues,
): { values: Record<string, Json>; faults: Fault[] } {
  const values: Record<string, Json> = {};
  for (const [ours, theirs] of Object.entries(mapped)) {
    const value = custom[theirs] ?? null;
    values[ours] = ours.startsWith(CUSTOM) ? asCustom(value) : asText(value);
  }
  const customs = Object.entries(values).filter(([name]) => name.startsWith(CUSTOM));
  const bytes = new TextEncoder().encode(JSON.stringify(Object.fromEntries(customs))).byteLength;
  if (bytes <= MAX_CUSTOM_BYTES) return { values, faults: [] };
  for (const [name] of customs) delete values[name];
  return {
    values,
    faults: [{ kind: 'invalid_value', field: 'custom_fields', theirs: `${bytes} bytes` }],
  };
}

function prepareLead({ id, updatedAt, values }: CrmLead, { fields }: CrmSettings): PreparedRecord {
  const mapped = mapFields(fields?.lead, values.custom);
  const address = values.email === null ? null : email.safeParse(values.email);
  const faults = [...mapped.faults];
  if (address?.success === false)
    faults.push({ kind: 'invalid_value', field: 'email', theirs: cut(values.email) });
  const validEmail = address?.success ? address.data : null;
  return {
    id,
    updated_at: updatedAt,
    values: {
      ...named(values.name),
      email: validEmail,
      phone: cut(values.phone),
      company: cut(values.company),
      position: cut(values.position),
      ...mapped.values,
    },
    owner: values.owner,
    unnamed: validEmail ?? id,
    faults,
  };
}

/** A record without a name in the CRM keeps the one that it has here. */
function named(given: string | null): { name?: string } {
  const name = cut(given);
  return name === null ? {} : { name };
}

function prepareDeal(
  { id, updatedAt, values, pipeline, closedAt }: CrmDeal,
  { fields }: CrmSettings,
): PreparedRecord {
  const mapped = mapFields(fields?.deal, values.custom);
  const faults = [...mapped.faults];
  const value = values.value ?? 0;
  const isValidValue = value >= 0 && value <= MAX_VALUE;
  if (!isValidValue) faults.push({ kind: 'invalid_value', field: 'value', theirs: value });
  const { expectedCloseDate: date } = values;
  const isValidDate = date !== undefined && (date === null || isoDate.safeParse(date).success);
  if (date && !isValidDate)
    faults.push({ kind: 'invalid_value', field: 'expected_close_date', theirs: cut(date) });
  const isValidCurrency = values.currency !== null && /^[A-Z]{3}$/.test(values.currency);
  if (values.currency !== null && !isValidCurrency)
    faults.push({ kind: 'invalid_value', field: 'currency', theirs: cut(values.currency) });
  return {
    id,
    updated_at: updatedAt,
    values: {
      ...named(values.name),
      ...(isValidValue && { value }),
      ...(isValidCurrency && { currency: values.currency }),
      status: values.status,
      ...(isValidDate && { expected_close_date: date }),
      loss_reason: values.status === 'lost' ? (cut(values.lossReason, MAX_LONG) ?? '-') : null,
      ...mapped.values,
    },
    owner: values.owner,
    stage: values.stage,
    contact: values.contact,
    pipeline,
    closed_at: closedAt,
    unnamed: id,
    faults,
  };
}

const prepareActivity = ({
  id,
  updatedAt,
  type,
  number,
  isDone,
  doneAt,
  owner,
}: CrmActivity): PreparedRecord => ({
  id,
  updated_at: updatedAt,
  type,
  number,
  is_done: isDone,
  done_at: doneAt,
  owner,
});

const prepares: {
  [K in RecordKind]: (record: CrmRecords[K], settings: CrmSettings) => PreparedRecord;
} = { lead: prepareLead, deal: prepareDeal, activity: prepareActivity };

/** Texts are cut to our limits; values that do not fit otherwise become faults. */
export const prepare = <K extends RecordKind>(
  kind: K,
  record: CrmRecords[K],
  settings: CrmSettings,
): PreparedRecord => prepares[kind](record, settings);

/** Members of ours whose name differs in `CrmValues`. */
const RENAMED: Readonly<Record<string, string>> = {
  loss_reason: 'lossReason',
  expected_close_date: 'expectedCloseDate',
};

/** `Outcome.sent` as a change for the adapter: mapped members go to the CRM's fields. */
export function toCrmValues<K extends WritableKind>(
  kind: K,
  sent: Record<string, Json>,
  { fields }: CrmSettings,
): Partial<CrmValues[K]> {
  const mapped: Record<string, string> = fields?.[kind] ?? {};
  const change: Record<string, Json> = {};
  const custom: Record<string, Json> = {};
  for (const [name, value] of Object.entries(sent)) {
    const theirs = mapped[name];
    if (theirs !== undefined) custom[theirs] = value;
    else change[RENAMED[name] ?? name] = value;
  }
  // The members are those of `CrmValues`: SQL sends no others.
  return { ...change, ...(Object.keys(custom).length > 0 && { custom }) } as Partial<CrmValues[K]>;
}
