// The form of a resource's description. Lists, details, forms and CSV files are made from it.
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
  | 'metric';

export interface Column {
  /** Path of the member, such as `mission.name`. */
  name: string;
  label?: Message;
  as?: Show;
  /** Where the value leads, in the console. */
  href?(row: Json): string | undefined;
  /** The text, if it is not that of the member. */
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
  /** Sent as it is, without being shown. */
  | 'hidden';

export interface Option {
  value: string;
  /** Shown as it is; otherwise the value's name in the language of the page. */
  text?: string;
  /** What it means. */
  note?: string;
  disabled?: boolean;
}

export interface Field {
  /** Member of the request body. */
  name: string;
  label?: Message;
  as?: Input;
  required?: boolean;
  help?: Message;
  /** Of `select` and `choices`; suggestions for a text. */
  options?(view: View): Promise<readonly Option[]> | readonly Option[];
  /** Of `items`. */
  items?: Items;
  /** Value in an empty form. */
  value?: string;
  /** Current value in a record, by default the member of that name. */
  from?(record: Json): unknown;
}

/** Between objects of a list and their rows in a form. */
export interface Items {
  fields: readonly Field[];
  toItem(row: Readonly<Record<string, string>>): Json;
  toRow(item: Json): Readonly<Record<string, string>>;
  isEmpty(row: Readonly<Record<string, string>>): boolean;
}

/** A change that a form makes. */
export interface Act {
  /** Last part of the path. */
  name: string;
  label: Message;
  scope: Scope;
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  target(record: Json, values: Json): string;
  fields?: readonly Field[];
  /** Explains what will happen. */
  text?: Message;
  /** Member of the address by which the resource's list finds the record to show again, for acts without a record. */
  about?: string;
  /** The act cannot be undone. */
  danger?: boolean;
  /** One click without a page of its own. Only what is easily undone. */
  direct?: boolean;
  /** Whether the record permits it. */
  when?(record: Json): boolean;
  /** The request body, by default the values. Undefined for none. */
  body?(values: Json, record: Json): unknown;
  /** Members of the response to show once. */
  secrets?: readonly string[];
  done: Message;
  /** API path of what an act without a record changes. */
  current?: string;
  /** Name of the file that the response becomes. */
  download?: string;
  /** Where to go afterwards, by default to the record. */
  goTo?: 'list';
}

export interface Filter {
  name: string;
  label: Message;
  /** A choice; without it a text. */
  values?: readonly string[];
  /** The name of a value, if it is not that of its words. */
  nameOf?(value: string): string;
}

/** A link in each row, to the form of an act. */
export interface RowAct {
  label: Message;
  scope: Scope;
  href(row: Json): string;
  when?(row: Json): boolean;
}

/** Rows below a record. */
export interface Section {
  title: Message;
  scope?: Scope;
  api(record: Json): string | undefined;
  /** Rows in the record itself, in place of a request. */
  rows?(record: Json): Json[];
  columns: readonly Column[] | ((record: Json) => readonly Column[]);
  none: Message;
}

export interface Resource {
  path: string;
  api: string;
  scope: Scope;
  title: Message;
  lead: Message;
  /** Member that paths have, by default `id`. */
  id?: string;
  /** Member that names a record, by default `name`. */
  named?: string;
  /** How the API continues a list. */
  paging: 'pages' | 'cursor' | 'payments' | 'all';
  columns: readonly Column[];
  /** Members of the details that the list does not show. */
  more?: readonly Column[];
  /** Members that the details do not show, because others have the same in words. */
  omitted?: readonly string[];
  filters?: readonly Filter[];
  search?: boolean;
  /** Query parameters that limit the time, if the API has them. */
  dates?: { from: string; to: string };
  /** Heading of the rows, if it differs from the title. */
  listTitle?: Message;
  rowActs?: readonly RowAct[];
  /** Links of a record to forms elsewhere. */
  links?: readonly RowAct[];
  /** Order of the rows, if it is not that of the API. Only for lists that fit on one page. */
  compare?(one: Json, other: Json): number;
  /** What a person must know about a record in its state. */
  note?(record: Json): Message | undefined;
  /** A row has no page of its own. */
  flat?: boolean;
  acts?: readonly Act[];
  recordActs?: readonly Act[];
  sections?: readonly Section[];
  none: Message;
  /** What to do if there is nothing. */
  hint?: Message;
  /** Without a filter the list is of a short time: an empty one offers a longer one. */
  wider?: boolean;
  /** The same by other credentials, for those that do not open this. */
  otherwise?: Resource;
  /** Refreshed while it is open. */
  live?: boolean;
}

/** Parameters of the page's path. */
export type Parameters = (name: string) => string;

/** Replaces `:name` in paths by parameters of the page. */
export const filled = (path: string, param: Parameters): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(param(name)));

/** The path parameter of a record. */
export const idOf = ({ id = 'id' }: Resource, record: Json): string => asText(record[id]);

export const nameOf = (resource: Resource, record: Json): string =>
  asText(memberOf(record, resource.named ?? 'name')) || idOf(resource, record);

export const pathOf = (resource: Resource, record: Json): string =>
  `${resource.path}/${encodeURIComponent(idOf(resource, record))}`;

/** The API's path of a record, for the targets of acts. */
export const below =
  (api: string, rest = '', id = 'id') =>
  (record: Json): string =>
    `${api}/${encodeURIComponent(asText(record[id]))}${rest}`;
