// `npm ci` prints no warnings on the Node versions in the README: every package supports them, and none is deprecated.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Locked {
  version?: string;
  engines?: { node?: string };
  deprecated?: string;
}

const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
const packages = Object.entries(lock.packages);

type Version = [major: number, minor: number, patch: number];

function versionOf(text: string): Version {
  const [major = 0, minor = 0, patch = 0] = text.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return [major, minor, patch];
}

const compare = (a: Version, b: Version) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

/** Whether a range as packages write it has the version: comparators side by side, alternatives around `||`. */
function accepts(range: string, version: Version): boolean {
  return range.split('||').some((alternative) =>
    [...alternative.matchAll(/(>=|<=|>|<|\^|~|=)?\s*v?(\d[\w.-]*|\*)/g)].every(([, sign, text = '']) => {
      const bound = versionOf(text);
      const order = compare(version, bound);
      if (text === '*') return true;
      if (sign === '>=') return order >= 0;
      if (sign === '<=') return order <= 0;
      if (sign === '>') return order > 0;
      if (sign === '<') return order < 0;
      if (sign === '^') return order >= 0 && version[0] === bound[0];
      if (sign === '~') return order >= 0 && version[0] === bound[0] && version[1] === bound[1];
      return text.split('.').every((part, index) => part === 'x' || Number(part) === version[index]);
    }),
  );
}

test('understands version ranges', () => {
  const node: Version = [20, 19, 0];
  const good = [
    '>=20',
    '>= 14.0.0',
    '^18 || ^20.19.0',
    '*',
    '20.x',
    '>=18 <21',
    '20',
    '20 || >=22',
    '~20.19',
  ];
  const bad = ['>=22', '^18.0.0 || >=22.12.0', '>=18 <20', '>20.19.0', '18.x', '^20.20.0', '~20.18'];
  expect(good.filter((range) => !accepts(range, node))).toEqual([]);
  expect(bad.filter((range) => accepts(range, node))).toEqual([]);
});

/** The oldest of each line that `engines` of package.json names, and later ones. */
test.each(['20.19.0', '20.20.2', '22.12.0', '22.22.0', '24.0.0'])(
  'every package supports Node %s',
  (node) => {
    const refusing = packages.filter(([, { engines }]) => !accepts(engines?.node ?? '*', versionOf(node)));
    expect(refusing.map(([path, { engines }]) => `${path}: ${engines?.node}`)).toEqual([]);
  },
);

test.each(['20.18.3', '21.7.0', '22.11.0'])('our own engines reject an older one, %s', (node) => {
  expect(accepts(lock.packages['']?.engines?.node ?? '*', versionOf(node))).toBe(false);
});

test('.nvmrc names one of them', () => {
  const engines = lock.packages['']?.engines?.node ?? '';
  expect(accepts(engines, versionOf(read('.nvmrc').trim()))).toBe(true);
  expect(JSON.parse(read('package.json')).engines.node).toBe(engines);
});

test('no package is deprecated', () => {
  expect(packages.filter(([, { deprecated }]) => deprecated).map(([path]) => path)).toEqual([]);
});
