// `npm run database`: generates the files that depend on the database. `docs`, `types` or `migrations` generates only one kind. Uses the
// database of DATABASE_URL, or a temporary one with all migrations.
import { writeFile } from 'node:fs/promises';
import { databasePage } from './document.ts';
import { withMigratedDatabase } from './migrated-database.ts';
import { migrationsModule } from './migrations.ts';
import { databaseTypes } from './types.ts';

const root = new URL('../../', import.meta.url);

const outputs = {
  async docs(url: string) {
    const file = 'docs/database.md';
    await writeFile(new URL(file, root), await databasePage(url));
    return file;
  },
  async types(url: string) {
    const file = 'shared/platform/db/database.types.ts';
    await writeFile(new URL(file, root), await databaseTypes(url));
    return file;
  },
  async migrations(_url: string) {
    const file = 'shared/platform/db/migrations.ts';
    await writeFile(new URL(file, root), await migrationsModule());
    return file;
  },
};

const [asked] = process.argv.slice(2);
if (asked !== undefined && !Object.hasOwn(outputs, asked)) throw new Error(`Unknown output: ${asked}`);

await withMigratedDatabase(async (url) => {
  for (const [name, generate] of Object.entries(outputs)) {
    if (asked === undefined || asked === name) console.log(await generate(url));
  }
});
