// Converts between members of a request body and the text in form fields.

import { minorDigitsOf } from '../../../shared/payments/formats/currencies.ts';
import { parseJson, toJson } from '../../typescript/src/core/json.ts';
import { asRows, asText, type Json } from '../api/json.ts';
import { fieldTime, instantOf } from '../kit/format-time.ts';
import { amountOf, decimalMark } from '../kit/number-text.ts';
import type { Field } from '../resources/resource.ts';
import { itemsTyped } from './item-fields.tsx';
import { mappingTyped } from './mapping-fields.tsx';

/** Values of a form as they were typed. */
export type Typed = Readonly<Record<string, string | string[]>>;

export function typedOf(form: FormData): Typed {
  const names = [...new Set([...form.keys()])].filter((name) => !name.startsWith('_'));
  return Object.fromEntries(
    names.map((name) => {
      const all = form.getAll(name).filter((one): one is string => typeof one === 'string');
      return [name, all.length > 1 ? all : (all[0] ?? '')];
    }),
  );
}

/** The text that a field shows for a member. */
export function fieldText(field: Field, value: unknown, zone: string): string | string[] {
  if (value === undefined || value === null) return '';
  switch (field.as) {
    case 'choices':
    case 'lines':
      return Array.isArray(value)
        ? value.map((one) => asText(one))
        : asText(value).split('\n').filter(Boolean);
    case 'items':
      return asRows(value).map((item) =>
        Object.values(field.items?.toRow(item) ?? {})
          .filter(Boolean)
          .join(' '),
      );
    case 'json':
      if (typeof value === 'string') return value;
      return asRows(value).length === 0 && Object.keys(value).length === 0 ? '' : toJson(value, 2);
    case 'moment': {
      const ms = Date.parse(asText(value));
      return Number.isNaN(ms) ? '' : fieldTime(new Date(ms), zone);
    }
    case 'decimal':
      // With three decimals, it could be thousands.
      return asText(value)
        .replace(/\.\d{3}$/, '$&0')
        .replace('.', decimalMark());
    case 'money':
      return typeof value === 'number' ? (value / 100).toFixed(2).replace('.', decimalMark()) : asText(value);
    default:
      return asText(value);
  }
}

/** The request body. Sends an invalid number, time or JSON value as typed, so that the API reports the error. */
export function bodyOf(
  fields: readonly Field[],
  typed: Typed,
  { isChange, zone }: { isChange: boolean; zone: string },
): Json {
  const currency = asText(typed.currency).trim() || 'BRL';
  const members = fields.map((field) => {
    const value = field.mapping
      ? mappingTyped(field, typed)
      : field.items
        ? (field.items.toMember ?? asIs)(itemsTyped(field, typed))
        : typedValue(field, typed[field.name], { zone, currency });
    return [field.name, value] as const;
  });
  return Object.fromEntries(
    members.flatMap(([name, value]) => {
      const field = fields.find((one) => one.name === name);
      if (value !== undefined) return [[name, value]];
      // An empty field clears the member; an empty secret stays unchanged.
      return isChange && !field?.required && field?.as !== 'secret' ? [[name, null]] : [];
    }),
  );
}

const asIs = (items: readonly Json[]): unknown => items;

/** One value per line, or between commas. */
export const linesOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean);

function typedValue(
  field: Field,
  typed: string | string[] | undefined,
  { zone, currency }: { zone: string; currency: string },
): unknown {
  if (field.as === 'checkbox') return typed === 'true';
  if (field.as === 'choices') return typed === undefined || typed === '' ? [] : [typed].flat();
  const text = (Array.isArray(typed) ? typed.join('\n') : (typed ?? '')).replaceAll('\r\n', '\n').trim();
  if (field.as === 'lines') return linesOf(text);
  if (text === '') return undefined;
  switch (field.as) {
    case 'integer':
    case 'decimal':
      return amountOf(text) ?? text;
    case 'money': {
      const amount = amountOf(text);
      return amount === undefined ? text : Math.round(amount * 10 ** minorDigitsOf(currency));
    }
    case 'moment':
      return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text) ? instantOf(text, zone).toISOString() : text;
    case 'json':
      return jsonOf(text);
    default:
      return text;
  }
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
