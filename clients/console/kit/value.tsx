// Shows a member of a record.

import type { Child, FC } from 'hono/jsx';
import { toJson } from '../../typescript/src/core/json.ts';
import { asJson, asNumber, asRows, asText, type Json, memberOf } from '../api/json.ts';
import type { Directory, DirectoryKind } from '../api/workspace.ts';
import type { Column, Show } from '../resources/resource.ts';
import { ApiText, apiText, eventName } from './api-words.tsx';
import { Changes, changesText, sideText } from './changes.tsx';
import { decimal, majorMoney, money, number } from './format.ts';
import { calendarDate, moment } from './format-time.ts';
import { t, tName } from './language.ts';
import { Badge, Json as JsonText, None, Status } from './small.tsx';

/** An instant in the zone of the page. */
export const Moment: FC<{ at: unknown }> = ({ at }) => {
  const ms = Date.parse(asText(at));
  if (Number.isNaN(ms)) return <None />;
  return (
    <time datetime={new Date(ms).toISOString()} data-absolute>
      {moment(new Date(ms))}
    </time>
  );
};

const BY_NAME: Readonly<Record<string, Show>> = {
  status: 'status',
  state: 'status',
  role: 'name',
  priority: 'name',
  environment: 'name',
  variant: 'name',
  created: 'time',
  at: 'time',
  available_on: 'date',
  expected_close_date: 'date',
  user_id: 'user',
  owner_id: 'user',
  leader_id: 'user',
  team_id: 'team',
  parent_team_id: 'team',
  metric: 'metric',
  summary: 'english',
  remedy: 'english',
  failure_reason: 'english',
  response_status: 'http',
  amount: 'money',
  fee: 'money',
  net: 'money',
  amount_refunded: 'money',
  amount_refund_pending: 'money',
  paid_amount: 'money',
  fine: 'money',
  interest: 'money',
  discount: 'money',
  paid_on: 'date',
};

/** How to show a member whose column does not set `as`. */
export function showOf({ name, as }: Pick<Column, 'name' | 'as'>, value: unknown): Show {
  if (as) return as;
  const known = BY_NAME[name];
  if (known) return known;
  if (name.endsWith('_at')) return 'time';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'number' : 'decimal';
  if (typeof value === 'object' && value !== null) return 'json';
  return /(^|_)id$/.test(name) ? 'code' : 'text';
}

/** Whether the column is aligned to the right. */
export const isNumeric = (column: Column): boolean =>
  ['number', 'money', 'value', 'decimal'].includes(showOf(column, undefined));

/** Which names the columns show. */
export const kindsOf = (columns: readonly Column[]): DirectoryKind[] => {
  const shown = columns.map((column) => showOf(column, undefined));
  return [
    ...(shown.some((one) => ['changes', 'side'].includes(one)) ? (['users', 'stages'] as const) : []),
    ...(shown.includes('user') ? (['users'] as const) : []),
    ...(shown.includes('team') ? (['teams'] as const) : []),
  ];
};

/** The text of a value without markup, for CSV files and tables. */
export function textOf(column: Column, row: Json, directory?: Directory): string {
  const own = column.text?.(row);
  if (own) return own;
  const value = memberOf(row, column.name);
  if (value === null || value === undefined || value === '') return '';
  const text = asText(value);
  switch (showOf(column, value)) {
    case 'number':
      return asNumber(value) === undefined ? text : number(Math.round(Number(value)));
    case 'decimal':
      return asNumber(value) === undefined ? text : decimal(Number(value));
    case 'money':
      return money(Number(value), currencyOf(row));
    case 'value':
      return asNumber(value) === undefined ? text : majorMoney(Number(value), currencyOf(row));
    case 'time': {
      const ms = Date.parse(text);
      return Number.isNaN(ms) ? text : moment(new Date(ms));
    }
    case 'date':
      return /^\d{4}-\d{2}-\d{2}/.test(text) ? calendarDate(text.slice(0, 10)) : text;
    case 'bool':
      return value ? t('yes') : t('no');
    case 'status':
    case 'name':
    case 'metric':
      return tName(text);
    case 'user':
      return nameIn(directory?.users, value);
    case 'team':
      return nameIn(directory?.teams, value);
    case 'changes':
      return changesText(value, directory);
    case 'side':
      return sideText(row, column.name, directory);
    case 'json':
      return textOfJson(value);
    case 'english':
      return apiText(text) ?? text;
    case 'event':
      return eventName(text);
    default:
      return text || textOfJson(value);
  }
}

export const currencyOf = (row: Json): string => asText(row.currency) || 'BRL';

function nameIn(known: readonly Json[] | undefined, value: unknown): string {
  const id = asText(value) || asText(asJson(value).id);
  const found = known?.find((one) => one.id === id);
  return asText(found?.name) || asText(asJson(value).name) || id;
}

/** Lists of texts with commas, `{name}` as its name, anything else as JSON. */
function textOfJson(value: unknown): string {
  if (Array.isArray(value)) {
    const isFlat = value.every((one) => typeof one !== 'object' || one === null);
    return isFlat ? value.join(', ') : toJson(value);
  }
  const name = asText(asJson(value).name) || asText(asJson(value).label);
  if (name) return name;
  return Object.keys(asJson(value)).length === 0 ? '' : toJson(value);
}

interface ValueProps {
  column: Column;
  row: Json;
  directory?: Directory | undefined;
  /** In details, objects are shown in full. */
  full?: boolean;
}

export const Value: FC<ValueProps> = ({ column, row, directory, full = false }) => {
  const value = memberOf(row, column.name);
  const text = textOf(column, row, directory);
  if (text === '') return <None />;
  const show = column.text?.(row) ? 'text' : showOf(column, value);
  if (show === 'changes') return <Changes of={value} directory={directory} />;
  const shown = shownAs(show, { value, text, full, label: column.name });
  const href = column.href?.(row);
  return href === undefined ? shown : <a href={href}>{shown}</a>;
};

function shownAs(
  show: Show,
  { value, text, full, label }: { value: unknown; text: string; full: boolean; label: string },
): Child {
  switch (show) {
    case 'time':
      return <Moment at={value} />;
    case 'status':
      return <Badge of={asText(value)} />;
    case 'http':
      return <Status code={asNumber(value) ?? null} />;
    case 'english':
      return <ApiText of={asText(value)} />;
    case 'code':
      return <code>{text}</code>;
    case 'json':
      if (full && isStructured(value)) return <JsonText label={label} of={value} />;
      return Array.isArray(value) ? <TextList of={value} text={text} /> : <span class="clip">{text}</span>;
    default:
      if (LONG_WORD.test(text)) return <span class="wrap">{text}</span>;
      // For example an invoice number, which would break at its hyphens.
      return /\s/.test(text) ? text : <span class="nowrap">{text}</span>;
  }
}

/** For example a URL, which offers no line breaks. */
const LONG_WORD = /\S{24}/;

const isStructured = (value: unknown): boolean =>
  Array.isArray(value)
    ? asRows(value).some((one) => Object.keys(one).length > 0)
    : asText(asJson(value).name) === '';

const TextList: FC<{ of: unknown[]; text: string }> = ({ of, text }) =>
  of.every((one) => typeof one === 'string') ? (
    <span class="codes">
      {of.map((one) => (
        <code class="field">{String(one)}</code>
      ))}
    </span>
  ) : (
    <span class="clip">{text}</span>
  );
