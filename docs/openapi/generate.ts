// `npm run openapi`: writes the OpenAPI documents, the tools of MCP and the pages of operations to this folder. With `built`, only the files
// that are not committed.
import { readFileSync, writeFileSync } from 'node:fs';
import { builtDocuments, openApiDocuments } from './documents.ts';
import { mcpToolsDocument, withToolTable } from './mcp-tools.ts';
import { operationPages } from './operations-page.ts';

const onlyBuilt = process.argv.includes('built');
const documents = openApiDocuments();
const write = (file: string, text: string) => writeFileSync(new URL(`./${file}`, import.meta.url), text);

for (const [name, text] of Object.entries(documents))
  if (!onlyBuilt || builtDocuments.includes(name)) write(`${name}.json`, text);
write('mcp-tools.json', mcpToolsDocument(documents));
if (!onlyBuilt) {
  for (const [file, text] of Object.entries(operationPages(documents))) write(file, text);
  const mcpPage = new URL('../mcp.md', import.meta.url);
  writeFileSync(mcpPage, withToolTable(readFileSync(mcpPage, 'utf8')));
}
