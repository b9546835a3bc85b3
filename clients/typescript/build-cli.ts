// Writes dist/cli.js. Run by `npm run build`.
import { fileURLToPath } from 'node:url';
import { bundleCli } from './cli-bundle.ts';

await bundleCli(fileURLToPath(new URL('dist/cli.js', import.meta.url)));
