// The parts of the OpenAPI documents that the n8n package is generated from.
import { readFileSync } from 'node:fs';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: (string | null)[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  description?: string;
  minLength?: number;
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: [string];
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, { content?: Record<string, unknown> }>;
}

export interface Document {
  name: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

const names = ['v1', 'payments', 'default-integration'];

export const documents: readonly Document[] = names.map((name) => ({
  ...JSON.parse(readFileSync(new URL(`../../docs/openapi/${name}.json`, import.meta.url), 'utf8')),
  name,
}));

/** The schema that a reference points to. */
export function schemaOf({ components }: Document, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = components.schemas[schema.$ref.replace('#/components/schemas/', '')];
  if (!found) throw new Error(`unknown schema ${schema.$ref}`);
  return found;
}

export function parametersOf({ components }: Document, { parameters = [] }: Operation): Parameter[] {
  return parameters.map((parameter) => {
    if (parameter.$ref === undefined) return parameter;
    const found = components.parameters[parameter.$ref.replace('#/components/parameters/', '')];
    if (!found) throw new Error(`unknown parameter ${parameter.$ref}`);
    return found;
  });
}

/** Members of a body. Of a body with alternatives: the members of all, where only those that all require are required. */
export function membersOf(
  document: Document,
  schema: Schema,
): Record<string, Schema & { isRequired: boolean }> {
  const resolved = schemaOf(document, schema);
  const alternatives = (resolved.oneOf ?? resolved.anyOf ?? [resolved]).map((one) => schemaOf(document, one));
  const members: Record<string, Schema & { isRequired: boolean }> = {};
  for (const { properties = {} } of alternatives) {
    for (const [name, member] of Object.entries(properties)) {
      const isRequired = alternatives.every(({ required = [] }) => required.includes(name));
      const own = schemaOf(document, member);
      const values = [...new Set([...(members[name]?.enum ?? []), ...(own.enum ?? [])])];
      members[name] = { ...own, isRequired, ...(values.length > 0 && { enum: values }) };
    }
  }
  return members;
}
