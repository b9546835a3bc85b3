// Prints the descriptions as a module of the n8n package: one line for each field and each operation.
import { fileURLToPath } from 'node:url';
import { describeInterfaces } from './operations.ts';

export const generatedFile = fileURLToPath(
  new URL('../../clients/n8n/generated/operations.ts', import.meta.url),
);

const withoutEmpty = (value: object) =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => !Array.isArray(one) || one.length > 0));

/** Text of the module. */
export function printedDescriptions(): string {
  const { fields, resources, operations, events } = describeInterfaces();
  const table = Object.entries(fields).map(
    ([key, field]) => `  ${JSON.stringify(key)}: ${JSON.stringify(field)},`,
  );
  const list = operations.map(({ inBody, ...one }) => {
    // A body without members is not the same as no body.
    const described = { ...withoutEmpty(one), ...(inBody && { inBody }) };
    return `  ${JSON.stringify(described)},`;
  });
  return [
    '// Generated from docs/openapi/*.json by `npm run generate`.',
    "import type { EventTypes, Field, Operation } from '../shared/operation.ts';",
    '',
    '/** Parameters and members of bodies. Operations refer to their keys. */',
    `export const fields: Record<string, Field> = {\n${table.join('\n')}\n};`,
    '',
    '/** Names of resources. */',
    `export const resources: Record<string, string> = ${JSON.stringify(resources, null, 2)};`,
    '',
    `export const operations: Operation[] = [\n${list.join('\n')}\n];`,
    '',
    `export const events: EventTypes = ${JSON.stringify(events, null, 2)};`,
    '',
  ].join('\n');
}
