// JSON schemas of an OpenAPI document: validates values, and generates values that are valid in most cases.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { Json } from '../gamification/sync.ts';

export type Schema = Record<string, Json>;
export type Document = Schema;

/** Resolves `$ref` within the document. */
export function resolve(document: Document, schema: Schema): Schema {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  const target = $ref
    .slice(2)
    .split('/')
    .reduce((node: Schema | undefined, part) => node?.[part], document);
  return resolve(document, target ?? {});
}

const BASE = 'https://document.example/';

/** Compiles schemas of the document. Each schema that they reference is compiled once. */
export function createCompiler(document: Document): (schema: Schema) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, inlineRefs: false });
  addFormats.default(ajv);
  const absolute = (schema: Schema): Schema =>
    JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/components/schemas/', `"$ref":"${BASE}`));
  for (const [name, schema] of Object.entries<Schema>(document.components.schemas))
    ajv.addSchema(absolute(schema), `${BASE}${name}`);
  return (schema) => ajv.compile(absolute(schema));
}

/** A value that is valid in most cases. */
export function fitting(document: Document, given: Schema): fc.Arbitrary<unknown> {
  const schema = resolve(document, given);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return fc.oneof(...alternatives.map((one: Schema) => fitting(document, one)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object') return object(document, schema);
  if (type === 'array') {
    return fc.array(fitting(document, schema.items ?? {}), { maxLength: Math.min(schema.maxItems ?? 5, 5) });
  }
  if (type === 'integer')
    return fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1_000_000 });
  if (type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true });
  if (type === 'boolean') return fc.boolean();
  if (type === 'string') return text(schema);
  return fc.jsonValue();
}

function object(document: Document, schema: Schema): fc.Arbitrary<unknown> {
  const properties: Record<string, Schema> = schema.properties ?? {};
  if (Object.keys(properties).length === 0) return fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, fitting(document, property)]),
  );
  return fc.record(model, { requiredKeys: schema.required ?? [] });
}

function text(schema: Schema): fc.Arbitrary<string> {
  if (schema.format === 'email')
    return fc.constantFrom('ana@example.com', 'BIA@example.com', 'nobody@example.com');
  if (schema.format === 'date-time')
    return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern));
  const bounds = { minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 60, 60) };
  return fc.oneof(fc.string(bounds), fc.string({ ...bounds, unit: 'grapheme' }));
}
