// `npm run openapi`: writes the OpenAPI documents, the tools of MCP and the pages of operations to this folder. With `built`, only the files
// that are not committed.
import { readFileSync, writeFileSync } from 'node:fs';
import { builtDocuments, openApiDocuments } from './documents.ts';
import { mcpToolsDocument, withToolTable } from './mcp-tools.ts';
import { withMembers } from './members-table.ts';
import { operationPages } from './operations-page.ts';

const onlyBuilt = process.argv.includes('built');
const documents = openApiDocuments();
const write = (file: string, text: string) => writeFileSync(new URL(`./${file}`, import.meta.url), text);

function rewrite(page: string, change: (text: string) => string): void {
  const file = new URL(`../${page}`, import.meta.url);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

for (const [name, text] of Object.entries(documents))
  if (!onlyBuilt || builtDocuments.includes(name)) write(`${name}.json`, text);
write('mcp-tools.json', mcpToolsDocument(documents));
if (!onlyBuilt) {
  for (const [file, text] of Object.entries(operationPages(documents))) write(file, text);
  rewrite('mcp.md', withToolTable);
  rewrite('records.md', (page) => withMembers(page, documents.v1));
}
