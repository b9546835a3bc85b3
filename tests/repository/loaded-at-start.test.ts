// Modules that a function loads when it starts, as seen by Deno: no provider adapters, no provider libraries, no body validation.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { functionNames } from '../../functions/manifest.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Module {
  specifier: string;
  dependencies?: { code?: { specifier?: string }; isDynamic?: boolean }[];
}

/** Modules loaded at the start, and modules loaded by dynamic imports. */
function modulesOf(entry: string): { atOnce: string[]; all: string[] } {
  const args = ['info', '--json', '--quiet', '--no-lock', '--node-modules-dir=manual', entry];
  const info = execFileSync(`${root}/node_modules/.bin/deno`, args, {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  // As `deno info --json` is documented.
  const { modules, roots } = JSON.parse(info.toString()) as { modules: Module[]; roots: string[] };
  const known = new Map(modules.map((module) => [module.specifier, module]));
  const seen = new Set<string>(roots);
  for (const specifier of seen)
    for (const { code, isDynamic } of known.get(specifier)?.dependencies ?? [])
      if (code?.specifier && !isDynamic) seen.add(code.specifier);
  return { atOnce: [...seen], all: modules.map(({ specifier }) => specifier) };
}

const ADAPTERS = /\/providers\/(asaas|wise|stripe)\/(?!index\.ts)|stripe@|npm:\/?stripe/;

test.each(['payments', 'callbacks'])('%s starts without loading an adapter', (name) => {
  const { atOnce, all } = modulesOf(`functions/${name}/index.ts`);
  expect(all.filter((module) => /\/providers\/(asaas|wise|stripe)\/provider\.ts$/.test(module))).toHaveLength(
    3,
  );
  expect(atOnce.some((module) => module.endsWith('/provider-registry/set-up-providers.ts'))).toBe(true);
  expect(atOnce.filter((module) => ADAPTERS.test(module))).toEqual([]);
});

test.each(functionNames)('%s starts without loading the validation library', (name) => {
  const { atOnce, all } = modulesOf(`functions/${name}/index.ts`);
  const isZod = (module: string) => /\/zod[@/]/.test(module);
  expect(all.some(isZod)).toBe(true);
  expect(atOnce.filter(isZod)).toEqual([]);
});

test('a function starts without loading the span exporter', () => {
  const { atOnce, all } = modulesOf('functions/v1/index.ts');
  const isExporter = (module: string) => /\/telemetry\/(exporter|otlp)\.ts$/.test(module);
  expect(all.filter(isExporter)).toHaveLength(2);
  expect(atOnce.filter(isExporter)).toEqual([]);
});
