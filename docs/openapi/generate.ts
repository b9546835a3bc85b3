// `npm run openapi`: writes the OpenAPI documents, the tools of MCP and the pages of operations to this folder.
import { readFileSync, writeFileSync } from 'node:fs';
import { openApiDocuments } from './documents.ts';
import { mcpToolsDocument, withToolTable } from './mcp-tools.ts';
import { operationPages } from './operations-page.ts';

const documents = openApiDocuments();
for (const [file, text] of Object.entries(operationPages(documents))) {
  writeFileSync(new URL(`./${file}`, import.meta.url), text);
}
for (const [name, text] of Object.entries(documents)) {
  writeFileSync(new URL(`./${name}.json`, import.meta.url), text);
  console.log(`docs/openapi/${name}.json`);
}
writeFileSync(new URL('./mcp-tools.json', import.meta.url), mcpToolsDocument(documents));
console.log('docs/openapi/mcp-tools.json');
const mcpPage = new URL('../mcp.md', import.meta.url);
writeFileSync(mcpPage, withToolTable(readFileSync(mcpPage, 'utf8')));
console.log('docs/mcp.md');
