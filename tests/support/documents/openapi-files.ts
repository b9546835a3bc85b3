// The OpenAPI documents in docs/openapi/. tests/repository/docs/openapi.test.ts proves that they match the code, from which they take
// seconds to generate.
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../../docs/openapi/', import.meta.url);

/** The text of each document by its name. */
export const openApiFiles: Record<string, string> = Object.fromEntries(
  readdirSync(folder)
    .filter((file) => file.endsWith('.json') && file !== 'mcp-tools.json')
    .map((file) => [file.replace('.json', ''), readFileSync(new URL(file, folder), 'utf8')]),
);
