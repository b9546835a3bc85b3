// The types of the client, made from the OpenAPI documents: one file for each document that it speaks for.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const folder = fileURLToPath(new URL('../../docs/openapi/', import.meta.url));

/** Tokens are got without types: their documents are RFC 6749 and RFC 7009. */
const documents = ['default-integration', 'payments', 'v1', 'v1-b', 'v1-c'];

/** Where the types stand. */
export const generatedFolder = fileURLToPath(new URL('./src/generated/', import.meta.url));

async function typesOf(file: string): Promise<string> {
  // The declaration alone is wanted of it: examples are for readers of the document.
  const ast = await openapiTS(JSON.parse(readFileSync(folder + file, 'utf8')));
  return `// Made from docs/openapi/${file} by \`npm run clients\`.\n${astToString(ast)}`;
}

/** The files as text, by name. */
export async function generatedTypes(): Promise<Record<string, string>> {
  const made = documents.map(async (name) => [`${name}.ts`, await typesOf(`${name}.json`)]);
  return Object.fromEntries(await Promise.all(made));
}
