// `npm run clients`: writes src/placar/types.py, the shapes of the OpenAPI documents (records in the names of variant A).
import { readFileSync, writeFileSync } from 'node:fs';

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  $ref?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
}

/** Documents in the order in which their names win; in later ones they are said otherwise. */
const documents: { name: string; renamed: Record<string, string> }[] = [
  { name: 'default-integration', renamed: { SyncRequest: '' } },
  {
    name: 'payments',
    renamed: {
      InvoiceRequest: 'NewInvoice',
      PayoutRequest: 'NewPayout',
      TaxDocumentRequest: 'NewTaxDocument',
      CancelRequest: 'Cancellation',
      NewWebhook: 'NewPaymentWebhook',
      Webhook: 'PaymentWebhook',
      WebhookWithSecret: 'PaymentWebhookWithSecret',
      WebhookChange: 'PaymentWebhookChange',
      Delivery: 'PaymentDelivery',
    },
  },
  { name: 'v1', renamed: { Activity: 'DealActivity', ListMeta: '', FeedMeta: '', Pagination: '' } },
];
/** Of answers that the client reads itself. */
const UNUSED = new Set(['Error', 'Problem', 'Meta', '']);

/** What the client takes besides what the document says. */
const WIDER: Record<string, string> = { 'Activity.occurred_at': 'Union[str, datetime, None]' };

const NAME = /^[A-Za-z_]\w*$/;
const KEYWORDS = new Set(['from', 'class', 'in', 'is', 'not', 'or', 'and', 'pass', 'global', 'import']);

export const typesFile = new URL('./src/placar/types.py', import.meta.url);

/** The module as text. */
export function pythonTypes(): string {
  const written = new Map<string, string>();
  for (const { name, renamed } of documents) {
    const file = new URL(`../../docs/openapi/${name}.json`, import.meta.url);
    const { schemas } = JSON.parse(readFileSync(file, 'utf8')).components as {
      schemas: Record<string, Schema>;
    };
    const nameOf = (schema: string) => renamed[schema] ?? schema;
    for (const [schema, content] of Object.entries(schemas))
      if (!UNUSED.has(nameOf(schema))) define(nameOf(schema), content, nameOf, written);
  }
  return `${HEADER}${[...written.values()].join('\n\n')}`;
}

const HEADER = `"""Shapes for type checkers, plain dictionaries otherwise; records in the names of variant A. Made by \`npm run clients\`."""
from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


`;

type NameOf = (schema: string) => string;
type Written = Map<string, string>;

function define(name: string, schema: Schema, nameOf: NameOf, written: Written): void {
  if (written.has(name)) return;
  // Reserved before its members, which stand above it.
  const parts = new Map<string, string>();
  const members = Object.entries(schema.properties ?? {}).map(([member, one]) => ({
    member,
    type: WIDER[`${name}.${member}`] ?? typeOf(one, `${name}${pascal(member)}`, nameOf, parts),
    description: one.description?.replaceAll(/\s+/g, ' '),
    isRequired: schema.required?.includes(member) ?? false,
  }));
  for (const [part, text] of parts) if (!written.has(part)) written.set(part, text);
  if (!schema.properties)
    written.set(name, `${name} = ${alias(typeOf(schema, `${name}Item`, nameOf, written))}\n`);
  else if (members.some(({ member }) => !NAME.test(member) || KEYWORDS.has(member)))
    written.set(
      name,
      `${name} = TypedDict(\n    "${name}",\n    {${members.map(({ member, type }) => `"${member}": ${quoted(type)}`).join(', ')}},\n    total=False,\n)\n`,
    );
  else written.set(name, classText(name, schema.description, members));
}

interface Member {
  member: string;
  type: string;
  description: string | undefined;
  isRequired: boolean;
}

function classText(name: string, description: string | undefined, members: Member[]): string {
  const required = members.filter(({ isRequired }) => isRequired);
  const optional = members.filter(({ isRequired }) => !isRequired);
  const doc = description ? `    """${description.replaceAll(/\s+/g, ' ')}"""\n\n` : '';
  const body = (some: Member[]) =>
    some
      .map(
        ({ member, type, description: said }) => `${said ? `    #: ${said}\n` : ''}    ${member}: ${type}\n`,
      )
      .join('');
  if (optional.length === 0) return `class ${name}(TypedDict):\n${doc}${body(required) || '    pass\n'}`;
  if (required.length === 0) return `class ${name}(TypedDict, total=False):\n${doc}${body(optional)}`;
  return `class _${name}Required(TypedDict):\n${body(required)}\n\nclass ${name}(_${name}Required, total=False):\n${doc}${body(optional)}`;
}

const pascal = (name: string): string =>
  name.replaceAll(/(?:^|[^A-Za-z0-9]+)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A union outside an annotation: names that may stand below it are texts. */
const alias = (type: string): string => type.replaceAll(/\b(?!Union\b)[A-Z]\w+/g, '"$&"');

/** A type outside an annotation: names that stand below it are texts. */
const quoted = (type: string): string => `"${type.replaceAll('"', "'")}"`;

function typeOf(schema: Schema, hint: string, nameOf: NameOf, written: Written): string {
  if (schema.$ref) return nameOf(schema.$ref.split('/').at(-1) ?? '');
  const union = schema.anyOf ?? schema.oneOf;
  if (union)
    return unionOf(
      union.map((one, index) => typeOf(one, `${hint}${index === 0 ? '' : index + 1}`, nameOf, written)),
    );
  if ('const' in schema) return `Literal[${literal(schema.const)}]`;
  if (schema.enum) {
    const values = schema.enum.filter((value) => value !== null);
    const type = `Literal[${values.map(literal).join(', ')}]`;
    return values.length < schema.enum.length ? `Optional[${type}]` : type;
  }
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    const type = unionOf(types.map((one) => typeOf({ ...schema, type: one }, hint, nameOf, written)));
    return types.length < schema.type.length ? `Optional[${type}]` : type;
  }
  switch (schema.type) {
    case 'string':
      return 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'array':
      return `List[${schema.items ? typeOf(schema.items, `${hint}Item`, nameOf, written) : 'Any'}]`;
    case 'object': {
      if (schema.properties) {
        define(hint, schema, nameOf, written);
        return hint;
      }
      const { additionalProperties: others } = schema;
      return `Dict[str, ${typeof others === 'object' ? typeOf(others, `${hint}Value`, nameOf, written) : 'Any'}]`;
    }
    default:
      return 'Any';
  }
}

const literal = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);

function unionOf(types: string[]): string {
  const all = [...new Set(types)];
  if (all.length === 1) return all[0] ?? 'Any';
  const others = all.filter((type) => type !== 'None');
  const type = others.length === 1 ? (others[0] ?? 'Any') : `Union[${others.join(', ')}]`;
  return others.length < all.length ? `Optional[${type}]` : type;
}

if (process.argv[1]?.endsWith('python/generate.ts')) writeFileSync(typesFile, pythonTypes());
