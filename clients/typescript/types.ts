// The types of the client, made from the OpenAPI documents: one file for each document.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const documents = fileURLToPath(new URL('../../docs/openapi/', import.meta.url));

/** Where the types stand. */
export const generatedFolder = fileURLToPath(new URL('./src/generated/', import.meta.url));

async function typesOf(file: string): Promise<string> {
  // The declaration alone is wanted of it: examples are for readers of the document.
  const ast = await openapiTS(JSON.parse(readFileSync(documents + file, 'utf8')));
  return `// Made from docs/openapi/${file} by \`npm run clients\`.\n${astToString(ast)}`;
}

/** The files as text, by name. */
export async function generatedTypes(): Promise<Record<string, string>> {
  const files = readdirSync(documents).filter((file) => file.endsWith('.json'));
  const made = files.map(async (file) => [file.replace(/\.json$/, '.ts'), await typesOf(file)]);
  return Object.fromEntries(await Promise.all(made));
}
