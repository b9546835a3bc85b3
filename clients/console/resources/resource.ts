// Types that describe a resource. Lists, details, forms and CSV files are generated from them.

import type { MessageValues } from '../../../shared/platform/messages/translate.ts';
import type { Scope } from '../api/access.ts';
import { asText, type Json, memberOf } from '../api/json.ts';
import type { Message } from '../kit/language.ts';
import type { View } from '../view.ts';

/** How a member is shown. */
export type Show =
  | 'text'
  | 'number'
  | 'decimal'
  | 'money'
  /** Money in units of the currency instead of minor units. */
  | 'value'
  | 'time'
  | 'date'
  | 'bool'
  | 'status'
  | 'code'
  | 'http'
  | 'name'
  | 'english'
  | 'event'
  | 'user'
  | 'team'
  | 'json'
  | 'metric'
  /** Members that would change: `{member: [now, then]}`. */
  | 'changes'
  /** The value of the member that `field` names, or an object of members. */
  | 'side';

export interface Column {
  /** Path of the member, such as `mission.name`. */
  name: string;
  label?: Message;
  as?: Show;
  /** Link target of the value, in the console. */
  href?(row: Json): string | undefined;
  /** The text to show instead of the member's. */
  text?(row: Json): string;
}

export type Input =
  | 'text'
  | 'textarea'
  | 'email'
  | 'url'
  | 'integer'
  | 'decimal'
  | 'money'
  | 'moment'
  | 'date'
  | 'checkbox'
  | 'select'
  | 'choices'
  | 'lines'
  | 'json'
  | 'secret'
  /** A list of objects, one row of fields for each. */
  | 'items'
  /** A choice for each thing of the record. */
  | 'mapping'
  /** Sent unchanged, without being shown. */
  | 'hidden';

export interface Option {
  value: string;
  /** Text to show unchanged. If absent, the value's name in the language of the page. */
  text?: string;
  /** Its meaning. */
  note?: string;
  disabled?: boolean;
  /** Heading under which a select shows it. */
  group?: string;
  /** The choice of the select that this one depends on, or its beginning. */
  kind?: string;
}

export interface Field {
  /** Member of the request body. */
  name: string;
  label?: Message;
  as?: Input;
  required?: boolean;
  help?: Message;
  /** Values in the help, in the language of the page. */
  helpValues?(): MessageValues;
  /** For `select` and `choices`. For a text: suggestions. */
  options?(view: View): Promise<readonly Option[]> | readonly Option[];
  /** Of `items`. */
  items?: Items;
  /** Of `mapping`. Its options are those of the field. */
  mapping?: Mapping;
  /** Value in an empty form. */
  value?: string;
  /** Current value in a record, by default the member of that name. */
  from?(record: Json): unknown;
}

/** Converts the objects of a list to rows of a form, and back. */
export interface Items {
  fields: readonly Field[];
  toItem(row: Readonly<Record<string, string>>): Json;
  toRow(item: Json): Readonly<Record<string, string>>;
  isEmpty(row: Readonly<Record<string, string>>): boolean;
  /** The member of the request body, by default the list. */
  toMember?(items: readonly Json[]): unknown;
  /** Name of the form's select that decides which options of the first field apply. */
  dependsOn?: string;
  /** How many rows a form has at most, by default 20. */
  max?: number;
}

/** Things of a record, each with a choice. */
export interface Mapping {
  rows(record: Json): readonly MappingRow[];
  /** One thing with its choice, as the API takes it. */
  toItem(key: string, choice: string | null): Json;
}

export interface MappingRow {
  key: string;
  label: string;
  note?: string;
  /** The choice in the record; empty for none. */
  value: string;
  /** What no choice means. */
  none: string;
}

/** An action: a change that a form makes. */
export interface Act {
  /** Last part of the path. */
  name: string;
  label: Message;
  scope: Scope;
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  target(record: Json, values: Json): string;
  fields?: readonly Field[];
  /** Explains what will happen. */
  text?: Message | ((record: Json) => Message);
  /** Query parameter with which the list of the resource finds the record again, for actions without a record. */
  about?: string;
  /** Whether the action cannot be undone. */
  danger?: boolean;
  /** Whether one click is enough, without a separate page. Only for actions that are easily undone. */
  direct?: boolean;
  /** Whether the record permits the action to the person. */
  when?(record: Json, view: View): boolean;
  /** Whether a row of the list is what an action without a record would create, so that the list does not offer it. */
  unless?(row: Json): boolean;
  /** The request body, by default the values. Undefined for none. */
  body?(values: Json, record: Json): unknown;
  /** Members of the response to show once. */
  secrets?: readonly string[];
  /** The secret that is a path of the console, to show as its address. */
  addressOf?: string;
  done: Message;
  /** The part of the record that the action changes, as the rest of its API path. */
  part?: string;
  /** The secret that is a link to open. */
  opens?: string;
  /** API path of the object that an action without a record changes. */
  current?: string;
  /** API path of the records that the form can begin as a copy of; the query parameter `copy` has the id. */
  copies?: string;
  /** File name, if the response is a download. */
  download?: string;
  /** Where to go afterwards, by default to the record. */
  goTo?: 'list';
  /** Path to go to instead, with what the API answered. */
  leadsTo?(written: Json): string;
}

export interface Filter {
  name: string;
  label: Message;
  /** Values to choose from. Without these and options, the filter is a text field. */
  values?: readonly string[];
  /** Records to choose from. */
  options?(view: View): Promise<readonly Option[]>;
  /** The name of a value, if it is not that of its words. */
  nameOf?(value: string): string;
  /** The name of no choice, if it is not any. */
  none?: Message;
}

/** A link in each row, to the form of an act. */
export interface RowAct {
  label: Message;
  scope: Scope;
  href(row: Json): string;
  when?(row: Json): boolean;
  /** Whether it is a direct act, which a button sends. */
  direct?: boolean;
}

/** Rows below a record. */
export interface Section {
  title: Message;
  scope?: Scope;
  api(record: Json): string | undefined;
  /** Rows from the record itself instead of a request. */
  rows?(record: Json): Json[];
  columns: readonly Column[] | ((record: Json) => readonly Column[]);
  none: Message;
}

export interface Resource {
  path: string;
  api: string;
  /** Rest of the API's path of one record. */
  apiRest?: string;
  scope: Scope;
  title: Message;
  lead: Message;
  /** Member used in paths, by default `id`. */
  id?: string;
  /** Member that names a record, by default `name`. */
  named?: string | ((record: Json) => string);
  /** How the API splits the list into pages. */
  paging: 'pages' | 'cursor' | 'payments' | 'all';
  columns: readonly Column[];
  /** Members of the details that the list does not show. */
  more?: readonly Column[];
  /** Members that the details do not show, because others have the same in words. */
  omitted?: readonly string[];
  filters?: readonly Filter[];
  search?: boolean;
  /** Query parameters that limit the time, if the API has them. */
  dates?: { from: string; to: string /** The period without a choice, if it is not any. */; none?: Message };
  /** Heading of the rows, if it differs from the title. */
  listTitle?: Message;
  rowActs?: readonly RowAct[];
  /** Links of a record to forms elsewhere. */
  links?: readonly RowAct[];
  /** Order of the rows, if it is not that of the API. Only for lists that fit on one page. */
  compare?(one: Json, other: Json): number;
  /** Columns by which the API sorts, with its name for each. */
  sorts?: Readonly<Record<string, string>>;
  /** Rows that the list leaves out, unless the filter `shown` is set. */
  hides?: { label: Message; isHidden(row: Json): boolean };
  /** A hint about the current state of a record. */
  note?(record: Json, view: View): Message | undefined;
  /** Whether rows have no detail page. */
  flat?: boolean;
  acts?: readonly Act[];
  recordActs?: readonly Act[];
  sections?: readonly Section[];
  none: Message;
  /** What to do if the list is empty. */
  hint?: Message;
  /** Whether the list covers a short period by default. If it is empty, the page offers a longer period. */
  wider?: boolean;
  /** The same resource with the other kind of credentials, for credentials that do not permit this one. */
  otherwise?: Resource;
  /** Whether the page refreshes itself. */
  live?: boolean;
}

/** Parameters of the page's path. */
export type Parameters = (name: string) => string;

/** Replaces `:name` in paths by parameters of the page. */
export const filled = (path: string, param: Parameters): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(param(name)));

/** The path parameter of a record. */
export const idOf = ({ id = 'id' }: Resource, record: Json): string => asText(record[id]);

export function nameOf(resource: Resource, record: Json): string {
  const { named = 'name' } = resource;
  const name = typeof named === 'string' ? asText(memberOf(record, named)) : named(record);
  return name || idOf(resource, record);
}

export const pathOf = (resource: Resource, record: Json): string =>
  `${resource.path}/${encodeURIComponent(idOf(resource, record))}`;

/** The explanation of an action, if it has one. */
export const textOf = ({ text }: Act, record: Json): Message | undefined =>
  typeof text === 'function' ? text(record) : text;

/** The API's path of a record, for the targets of acts. */
export const below =
  (api: string, rest = '', id = 'id') =>
  (record: Json): string =>
    `${api}/${encodeURIComponent(asText(record[id]))}${rest}`;
