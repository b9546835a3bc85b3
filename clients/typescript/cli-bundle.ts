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

/** Modules that few invocations load: bundles of their own beside the CLI's. */
const SEPARATE = [
  { file: 'proxy.mjs', source: 'src/cli/proxy.ts', import: /[\\/]proxy\.ts$/ },
  { file: 'console.mjs', source: '../console/serve.tsx', import: /console[\\/]serve\.tsx$/ },
  {
    file: 'console-sign-in.mjs',
    source: '../console/sign-in/serve.tsx',
    import: /sign-in[\\/]serve\.tsx$/,
  },
  { file: 'xlsx.mjs', source: 'src/cli/sync/files/xlsx.ts', import: /[\\/]xlsx\.ts$/ },
];

const separateBundles: Plugin = {
  name: 'separate-bundles',
  setup({ onResolve }) {
    for (const { file, import: filter } of SEPARATE) {
      onResolve({ filter }, ({ kind }) =>
        kind === 'dynamic-import' ? { path: `./${file}`, external: true } : undefined,
      );
    }
  },
};

/** Writes the bundle to `outfile`, and the separate ones beside it. */
export async function bundleCli(outfile: string): Promise<void> {
  await Promise.all([
    bundle(here('src/cli/main.ts'), outfile),
    ...SEPARATE.map(({ file, source }) => bundle(here(source), join(dirname(outfile), file))),
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
    plugins: [oneLanguage, separateBundles],
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
