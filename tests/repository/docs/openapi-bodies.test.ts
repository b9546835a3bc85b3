// Bodies as the documents describe them, against the schemas that the functions read them with.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sources } from '../../../docs/openapi/sources.ts';
import { type Document, resolve, type Schema } from '../../support/documents/json-schema.ts';
import { openApiFiles } from '../../support/documents/openapi-files.ts';

/** The schema inside optional, nullable and pipe schemas. */
function bare(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return bare(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodPipe ? bare(schema.in as z.ZodType) : schema;
}

/** The schema that parses a body. */
function schemaOf(media: object | undefined): z.ZodType {
  if (media && 'schema' in media && media.schema instanceof z.ZodType) return media.schema;
  throw new Error('a body without a schema of zod');
}

/** Whether null is valid. A member's schema has a type, alternatives, or a reference to one of these. */
function takesNull(document: Document, given: Schema): boolean {
  const { type, enum: values, oneOf, anyOf } = resolve(document, given);
  const alternatives = oneOf ?? anyOf;
  if (alternatives) return alternatives.some((one: Schema) => takesNull(document, one));
  return [type].flat().includes('null') && (!values || values.includes(null));
}

/** Every member of a body: its schema in the code, and in the document. */
function membersOf(
  document: Document,
  zod: z.ZodType,
  given: Schema,
  at: string,
): [string, z.ZodType, Schema][] {
  const schema = bare(zod);
  const described = resolve(document, given);
  if (schema instanceof z.ZodArray) {
    return membersOf(document, schema.element as z.ZodType, described.items, `${at}[]`);
  }
  if (schema instanceof z.ZodUnion) {
    return schema.options.flatMap((one, index) =>
      membersOf(document, one as z.ZodType, (described.oneOf ?? described.anyOf)[index], `${at}|${index}`),
    );
  }
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, member]) => {
    const path = `${at}.${name}`;
    const property = described.properties[name];
    return [
      [path, member as z.ZodType, property] as [string, z.ZodType, Schema],
      ...membersOf(document, member as z.ZodType, property, path),
    ];
  });
}

describe.each(Object.entries(sources))('%s', (name, { operations }) => {
  const document: Document = JSON.parse(openApiFiles[name] ?? '');
  const described = Object.values<Schema>(document.paths).flatMap((one) => Object.values<Schema>(one));
  const members = Object.entries(operations).flatMap(([operationId, { request }]) => {
    const content = request?.body?.content;
    if (!content) return [];
    const { requestBody } = described.find((one) => one.operationId === operationId) ?? {};
    return Object.entries(content).flatMap(([type, media]) =>
      membersOf(document, schemaOf(media), requestBody.content[type].schema, operationId),
    );
  });

  test('members are documented as nullable exactly where they accept null', () => {
    const said = members.map(([path, , property]) => {
      return [path, takesNull(document, property)];
    });
    expect(said).toEqual(members.map(([path, schema]) => [path, schema.safeParse(null).success]));
    if (name !== 'default-integration' && name !== 'oauth')
      expect(said.filter(([, takes]) => takes).length).toBeGreaterThan(5);
  });
});
