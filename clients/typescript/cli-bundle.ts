// Bundles the CLI into one file, so that the installed package has no dependencies.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { readAssets } from '../console/assets.ts';

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

const CONSOLE = 'console.mjs';

/** The console is a bundle of its own beside the CLI's, loaded by its command. */
const separateConsole: Plugin = {
  name: 'separate-console',
  setup({ onResolve }) {
    onResolve({ filter: /console[\\/]serve\.tsx$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${CONSOLE}`, external: true } : undefined,
    );
  },
};

/** Writes the bundle to `outfile`, and the console's bundle beside it. */
export async function bundleCli(outfile: string): Promise<void> {
  await Promise.all([
    bundle(here('src/cli/main.ts'), outfile),
    bundle(here('../console/serve.tsx'), join(dirname(outfile), CONSOLE)),
  ]);
}

const bundle = (entry: string, outfile: string) =>
  build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    // Error messages print class names.
    keepNames: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    plugins: [oneLanguage, separateConsole],
    tsconfig: here('../../tsconfig.json'),
    define: {
      BUNDLED_MIGRATIONS: JSON.stringify(migrations),
      BUNDLED_ASSETS: JSON.stringify(readAssets()),
    },
    // CommonJS packages load Node modules with `require`, which ES modules lack.
    banner: {
      js: "import{createRequire as $createRequire}from'node:module';const require=$createRequire(import.meta.url);",
    },
    legalComments: 'eof',
  });
