// Checks the migrations of a folder, or files as if they were added to it.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BASELINE, findViolations, type Violation } from './rules.ts';
import { type SqlFile, versionOf } from './statements.ts';

/** The migrations of a folder, in the order in which they are applied. */
export const readMigrations = (folder: string): SqlFile[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, sql: readFileSync(join(folder, name), 'utf8') }));

const isBaseline = ({ name }: SqlFile) => (versionOf(name) ?? '9') <= BASELINE;

/** Checks all migrations of a folder that are newer than the baseline. */
export function checkFolder(folder: string): Violation[] {
  const files = readMigrations(folder);
  return findViolations(
    files.filter((file) => !isBaseline(file)),
    files.filter(isBaseline),
  );
}

/** Checks some files: as the migrations that they are, or as if they were added to the folder. */
export function checkFiles(paths: readonly string[], folder: string): Violation[] {
  const files = paths.map((path) => ({ name: basename(path), sql: readFileSync(path, 'utf8') }));
  const [first] = files;
  const isEarlier = ({ name }: SqlFile) =>
    !files.some((file) => file.name === name) &&
    (first === undefined || versionOf(first.name) === undefined || name < first.name);
  return findViolations(
    files.filter((file) => !isBaseline(file)),
    readMigrations(folder).filter(isEarlier),
  );
}

export const describe = ({ file, line, rule, message }: Violation): string =>
  `${file}:${line}: ${rule}: ${message}${/[;>]$/.test(message) ? '' : '.'}`;
