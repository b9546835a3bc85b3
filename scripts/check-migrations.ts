// `npm run check:migrations [-- file ...]`: checks that migrations can be applied while the previous version runs.
import { fileURLToPath } from 'node:url';
import { checkFiles, checkFolder, describe } from './migrations/folder.ts';

const folder = fileURLToPath(new URL('../migrations', import.meta.url));
const paths = process.argv.slice(2);
try {
  const found = paths.length > 0 ? checkFiles(paths, folder) : checkFolder(folder);
  for (const violation of found) console.error(describe(violation));
  if (found.length > 0) {
    console.error('The rules: docs/operations/migrations.md');
    process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
