// `npm run database`: generates the files that depend on the database. `docs` or `types` generates only one of them. Uses the
// database of DATABASE_URL, or a temporary one with all migrations.
import { writeFile } from 'node:fs/promises';
import { databaseDocument } from './document.ts';
import { withMigratedDatabase } from './migrated-database.ts';
import { databaseTypes } from './types.ts';

const outputs = {
  docs: { file: 'docs/database.md', generate: databaseDocument },
  types: { file: 'shared/platform/db/database.types.ts', generate: databaseTypes },
};

const [asked] = process.argv.slice(2);
if (asked !== undefined && !Object.hasOwn(outputs, asked)) throw new Error(`Unknown output: ${asked}`);

await withMigratedDatabase(async (url) => {
  for (const [name, { file, generate }] of Object.entries(outputs)) {
    if (asked !== undefined && asked !== name) continue;
    await writeFile(new URL(`../../${file}`, import.meta.url), await generate(url));
    console.log(file);
  }
});
