// `npm run openapi`: writes the documents beside this file.
import { writeFileSync } from 'node:fs';
import { openApiDocuments } from './documents.ts';

for (const [name, text] of Object.entries(openApiDocuments())) {
  writeFileSync(new URL(`./${name}.json`, import.meta.url), text);
  console.log(`docs/openapi/${name}.json`);
}
