// Packages are listed twice: in package.json for Node and types, and in deno.json for the deployment. So are their own
// dependencies: in package-lock.json for tests, and in deno.lock for the deployment.
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const packageJson = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
const packageLock = JSON.parse(read('package-lock.json')) as {
  packages: Record<string, { version?: string; integrity?: string }>;
};
const denoJson = JSON.parse(read('deno.json')) as { imports: Record<string, string> };
const denoLock = JSON.parse(read('deno.lock')) as {
  version: string;
  npm: Record<string, { integrity: string }>;
  workspace: { dependencies: string[] };
};

/** `name`, or `@scope/name`, at the start of a specifier. */
const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';

/** Modules that the deployed code names without a path: static and lazy imports, and types. */
function bareSpecifiers(): string[] {
  const files = ['functions', 'shared'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(folder, path)),
  );
  const found = files.flatMap((path) =>
    Array.from(
      read(path).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([@a-z][\w@./-]*)'/g),
      ([, name = '']) => name,
    ),
  );
  return [...new Set(found)].filter((name) => !name.startsWith('node:')).sort();
}

test('deno.json pins the versions of package.json', () => {
  const pinned = Object.entries(denoJson.imports).map(([specifier, target]) => {
    const [, name, version] = /^npm:\/?((?:@[^/]+\/)?[^@/]+)@([^/]+)/.exec(target) ?? [];
    expect(packageOf(specifier), `${specifier} is an import of its own package`).toBe(name);
    return [name, version];
  });
  expect(Object.fromEntries(pinned)).toEqual(packageJson.dependencies);
  for (const version of Object.values(packageJson.dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test('deno.lock has the packages of deno.json, with the dependencies of package-lock.json (npm run lock)', () => {
  // Deno 2.1, and the runtime that bundles the deployment, read format 4.
  expect(denoLock.version).toBe('4');
  const direct = Object.entries(packageJson.dependencies).map(([name, version]) => `npm:${name}@${version}`);
  expect(denoLock.workspace.dependencies).toEqual(direct.sort());
  const tested = Object.entries(packageLock.packages).map(
    ([path, { version, integrity }]) => `${path.split('node_modules/').at(-1)}@${version} ${integrity}`,
  );
  const deployed = Object.entries(denoLock.npm).map(([key, { integrity }]) => {
    // The version is followed by its resolved peer dependencies.
    const [id] = /^.[^@]*@[^_]+/.exec(key) ?? [];
    return `${id} ${integrity}`;
  });
  expect(deployed.filter((one) => !tested.includes(one))).toEqual([]);
});

test('deno.json maps every module that functions/ and shared/ import, and no others', () => {
  const used = bareSpecifiers();
  const mapped = Object.keys(denoJson.imports);
  const mappingOf = (specifier: string) =>
    mapped.find((name) => name === specifier || (name.endsWith('/') && specifier.startsWith(name)));
  expect(used.filter((specifier) => !mappingOf(specifier))).toEqual([]);
  expect(used.filter((specifier) => builtinModules.includes(specifier))).toEqual([]);
  const packages = new Set(used.map(packageOf));
  expect(mapped.filter((name) => !packages.has(packageOf(name)))).toEqual([]);
});
