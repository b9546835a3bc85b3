// Which folders import which: docs/architecture.md draws it.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Import {
  from: string;
  to: string;
}

/** Imports between files of these folders, static and lazy, by their paths from the root. */
function importsIn(...folders: string[]): Import[] {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(folder, path)),
  );
  return files.flatMap((from) =>
    [...readFileSync(join(root, from), 'utf8').matchAll(/(?:\bfrom |\bimport\()'(\.[^']+)'/g)].map(
      ([, path = '']) => ({ from, to: normalize(join(dirname(from), path)) }),
    ),
  );
}

const shown = (imports: Import[]) => imports.map(({ from, to }) => `${from} imports ${to}`);

test('the platform imports only itself', () => {
  expect(shown(importsIn('shared/platform').filter(({ to }) => !to.startsWith('shared/platform/')))).toEqual(
    [],
  );
});

test('domains contain no HTTP: they import neither functions nor platform/http and platform/request', () => {
  const domains = importsIn('shared').filter(({ from }) => !from.startsWith('shared/platform/'));
  expect(domains.length).toBeGreaterThan(500);
  expect(
    shown(domains.filter(({ to }) => /^(functions|shared\/platform\/(http|request))\//.test(to))),
  ).toEqual([]);
});

test('functions do not import other functions, except mcp, whose tools are operations of the others', () => {
  const nameOf = (path: string) => /^functions\/([^/]+)\//.exec(path)?.[1];
  const between = importsIn('functions').filter(
    ({ from, to }) => nameOf(to) && nameOf(from) !== nameOf(to) && nameOf(from) !== 'mcp',
  );
  expect(shown(between)).toEqual([]);
});

test('payments and records do not import each other, nor do webhooks import either', () => {
  const forbidden: Record<string, RegExp> = {
    payments: /^shared\/(records|activity)\//,
    records: /^shared\/(payments|activity)\//,
    webhooks: /^shared\/(records|payments|activity)\//,
  };
  const crossing = Object.entries(forbidden).flatMap(([domain, others]) =>
    importsIn(`shared/${domain}`).filter(({ to }) => others.test(to)),
  );
  expect(shown(crossing)).toEqual([]);
});

test('no two folders import each other', () => {
  const arrows = new Set<string>();
  for (const { from, to } of importsIn('functions', 'shared'))
    if (dirname(from) !== dirname(to)) arrows.add(`${dirname(from)} ${dirname(to)}`);
  expect(arrows.size).toBeGreaterThan(200);
  const mutual = [...arrows].filter((arrow) => arrows.has(arrow.split(' ').reverse().join(' ')));
  expect(mutual).toEqual([]);
});

test('a folder of payments imports only those below it in the table of the architecture page', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const [, table = ''] = page.split('| folder of `shared/payments/` | contents |');
  const rows = [...table.slice(0, table.indexOf('\n\n')).matchAll(/^\| (`[^|]+`) \|/gm)];
  const layerOf = new Map(
    rows.flatMap(([, names = ''], layer) =>
      [...names.matchAll(/`([^/]+)\/`/g)].map(([, name = '']) => [name, layer] as const),
    ),
  );
  const folders = readdirSync(join(root, 'shared/payments'), { withFileTypes: true }).filter((one) =>
    one.isDirectory(),
  );
  expect([...layerOf.keys()].sort()).toEqual(folders.map(({ name }) => name).sort());
  const folderOf = (path: string) => /^shared\/payments\/([^/]+)\//.exec(path)?.[1];
  const layer = (path: string) => layerOf.get(folderOf(path) ?? '') ?? -1;
  const upward = importsIn('shared/payments').filter(
    ({ from, to }) =>
      folderOf(to) !== undefined && folderOf(from) !== folderOf(to) && layer(to) <= layer(from),
  );
  expect(shown(upward)).toEqual([]);
});

test('functions contain no SQL', () => {
  const files = readdirSync(join(root, 'functions'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  expect(files.length).toBeGreaterThan(80);
  const withSql = files.filter((path) =>
    /\bsql(<[^`]*>)?`/.test(readFileSync(join(root, 'functions', path), 'utf8')),
  );
  expect(withSql).toEqual([]);
});
