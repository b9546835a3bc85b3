// Bundles the command line into one file, so that the installed package depends on nothing.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const migrations = readdirSync(here('../../migrations'))
  .flatMap((file) => /^(\d+)_.*\.sql$/.exec(file)?.[1] ?? [])
  .sort();

/** Messages in forty languages, of which the API speaks one. */
const oneLanguage: Plugin = {
  name: 'one-language',
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** Writes it to a file. */
export const bundleCli = (outfile: string) =>
  build({
    entryPoints: [here('src/cli/main.ts')],
    outfile,
    bundle: true,
    minify: true,
    // Names of error classes are printed.
    keepNames: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    plugins: [oneLanguage],
    define: { BUNDLED_MIGRATIONS: JSON.stringify(migrations) },
    // Packages in CommonJS ask for modules of Node by `require`, which a module of ES has not.
    banner: {
      js: "import{createRequire as $createRequire}from'node:module';const require=$createRequire(import.meta.url);",
    },
    legalComments: 'eof',
  });
