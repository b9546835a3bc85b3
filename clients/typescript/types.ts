// Generates the client's types from the OpenAPI documents, one file each.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const folder = fileURLToPath(new URL('../../docs/openapi/', import.meta.url));

/** Token endpoints need no types: RFC 6749 and RFC 7009 define them. */
const documents = ['default-integration', 'payments', 'v1', 'v1-b', 'v1-c'];

/** Folder of the generated types. */
export const generatedFolder = fileURLToPath(new URL('./src/generated/', import.meta.url));

async function typesOf(file: string): Promise<string> {
  // Examples are only for readers of the document.
  const ast = await openapiTS(JSON.parse(readFileSync(folder + file, 'utf8')));
  return `// Generated from docs/openapi/${file} by \`npm run clients\`.\n${astToString(ast)}`;
}

/** Generated files as text, by name. */
export async function generatedTypes(): Promise<Record<string, string>> {
  const made = documents.map(async (name) => [`${name}.ts`, await typesOf(`${name}.json`)]);
  return Object.fromEntries(await Promise.all(made));
}
