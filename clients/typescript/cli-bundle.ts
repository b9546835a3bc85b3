// Bundles the CLI into one file, so that the installed package has no dependencies.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const migrations = readdirSync(here('../../migrations'))
  .flatMap((file) => /^(\d+)_.*\.sql$/.exec(file)?.[1] ?? [])
  .sort();

/** Keeps only English of zod's forty message languages. */
const oneLanguage: Plugin = {
  name: 'one-language',
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** Writes the bundle to `outfile`. */
export const bundleCli = (outfile: string) =>
  build({
    entryPoints: [here('src/cli/main.ts')],
    outfile,
    bundle: true,
    minify: true,
    // Error messages print class names.
    keepNames: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    plugins: [oneLanguage],
    define: { BUNDLED_MIGRATIONS: JSON.stringify(migrations) },
    // CommonJS packages load Node modules with `require`, which ES modules lack.
    banner: {
      js: "import{createRequire as $createRequire}from'node:module';const require=$createRequire(import.meta.url);",
    },
    legalComments: 'eof',
  });
