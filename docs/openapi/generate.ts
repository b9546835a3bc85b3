// `npm run openapi`: writes the OpenAPI documents and README.md to this folder.
import { writeFileSync } from 'node:fs';
import { openApiDocuments } from './documents.ts';
import { operationsPage } from './operations-page.ts';

const documents = openApiDocuments();
writeFileSync(new URL('./README.md', import.meta.url), operationsPage(documents));
for (const [name, text] of Object.entries(documents)) {
  writeFileSync(new URL(`./${name}.json`, import.meta.url), text);
  console.log(`docs/openapi/${name}.json`);
}
