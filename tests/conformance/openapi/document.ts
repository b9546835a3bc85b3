/** An OpenAPI document of a vendor: finds the operation of a request and its parameters. JSON only. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const SchemaObject: z.ZodType<Schema> = z.lazy(() =>
  z.looseObject({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    nullable: z.boolean().optional(),
    enum: z.array(z.unknown()).optional(),
    required: z.array(z.string()).optional(),
    properties: z.record(z.string(), SchemaObject).optional(),
    additionalProperties: z.union([z.boolean(), SchemaObject]).optional(),
    items: SchemaObject.optional(),
    allOf: z.array(SchemaObject).optional(),
    anyOf: z.array(SchemaObject).optional(),
    oneOf: z.array(SchemaObject).optional(),
  }),
);

export interface Schema {
  $ref?: string | undefined;
  type?: string | string[] | undefined;
  nullable?: boolean | undefined;
  enum?: unknown[] | undefined;
  required?: string[] | undefined;
  properties?: Record<string, Schema> | undefined;
  additionalProperties?: boolean | Schema | undefined;
  items?: Schema | undefined;
  allOf?: Schema[] | undefined;
  anyOf?: Schema[] | undefined;
  oneOf?: Schema[] | undefined;
}

const Parameter = z.looseObject({
  $ref: z.string().optional(),
  name: z.string().optional(),
  in: z.string().optional(),
  required: z.boolean().optional(),
  schema: SchemaObject.optional(),
});
export type Parameter = z.output<typeof Parameter>;

const Body = z.looseObject({
  $ref: z.string().optional(),
  required: z.boolean().optional(),
  content: z.record(z.string(), z.looseObject({ schema: SchemaObject.optional() })).optional(),
});

const OperationObject = z.looseObject({
  parameters: z.array(Parameter).optional(),
  requestBody: Body.optional(),
});

const Document = z.looseObject({
  openapi: z.string().startsWith('3.'),
  servers: z.array(z.looseObject({ url: z.string() })).optional(),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});

/** The parameters and body of an operation. */
export interface Operation {
  /** As in the document, with its parameters. */
  path: string;
  query: Parameter[];
  body: { required: boolean; schema: Schema | undefined } | undefined;
}

export interface OpenApiDocument {
  /** Undefined if the document has no such path or method. */
  operation(method: string, path: string): Operation | undefined;
  /** Resolves a reference to a schema. */
  resolve(schema: Schema): Schema;
}

/** Throws if the file is not an OpenAPI 3 document in JSON. */
export const readDocument = (file: string): OpenApiDocument =>
  openDocument(JSON.parse(readFileSync(file, 'utf8')));

export function openDocument(json: unknown): OpenApiDocument {
  const { servers = [], paths } = Document.parse(json);
  const prefixes = servers.map(({ url }) =>
    new URL(url, 'https://vendor.invalid').pathname.replace(/\/$/, ''),
  );
  const templates = Object.keys(paths)
    .map((path) => ({ path, pattern: patternOf(path), parameters: path.split('{').length }))
    // A fixed path takes precedence over one with parameters that also matches.
    .sort((one, other) => one.parameters - other.parameters);

  const at = (reference: string): unknown =>
    reference
      .replace(/^#\//, '')
      .split('/')
      .map((name) => decodeURIComponent(name.replaceAll('~1', '/').replaceAll('~0', '~')))
      .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], json);
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : resolve(SchemaObject.parse(at(schema.$ref)));
  const parameterOf = (parameter: Parameter): Parameter =>
    parameter.$ref === undefined ? parameter : Parameter.parse(at(parameter.$ref));

  return {
    resolve,
    operation(method, path) {
      const written = [path, ...prefixes.flatMap((prefix) => withoutPrefix(path, prefix))];
      const template = templates.find(({ pattern }) => written.some((one) => pattern.test(one)));
      const item = template && paths[template.path];
      const found = item?.[method.toLowerCase()];
      if (!template || found === undefined) return undefined;
      const operation = OperationObject.parse(found);
      const shared = z.array(Parameter).catch([]).parse(item?.parameters);
      const body =
        operation.requestBody?.$ref === undefined
          ? operation.requestBody
          : Body.parse(at(operation.requestBody.$ref));
      const [content] = Object.values(body?.content ?? {});
      return {
        path: template.path,
        query: [...shared, ...(operation.parameters ?? [])]
          .map(parameterOf)
          .filter((parameter) => parameter.in === 'query'),
        body: body && { required: body.required ?? false, schema: content?.schema },
      };
    },
  };
}

/** Versions that are dates, such as Wise's `/2026Q3`, match those of the document. */
const VERSION = /^\/\d{4}Q\d(?=\/)/;

function withoutPrefix(path: string, prefix: string): string[] {
  if (prefix !== '' && path.startsWith(`${prefix}/`)) return [path.slice(prefix.length)];
  return VERSION.test(`${prefix}/`) ? [path.replace(VERSION, '')] : [];
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]*\}/g, '[^/]+')}$`);
