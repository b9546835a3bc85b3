// .placarrc: settings of one deployment, or of several by name.
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { usageError } from './exit-codes.ts';

const NAME = '.placarrc';

export interface SettingsFile {
  path: string;
  /** Members by name: those of the file itself, or of one of its profiles. */
  members: Record<string, unknown>;
  profiles: Record<string, Record<string, unknown>>;
  /** Whether others on this machine may read it. */
  readableByOthers: boolean;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first one from the working folder up, then that of the home folder; undefined when there is none. */
export function findSettingsFile(): SettingsFile | undefined {
  for (const path of candidates()) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) continue;
    const me = process.getuid?.();
    // Somebody else's could send our keys anywhere.
    if (me !== undefined && stat.uid !== me && stat.uid !== 0) {
      throw usageError(`${path} belongs to somebody else on this machine, so it is not read.`);
    }
    const readableByOthers = process.platform !== 'win32' && (stat.mode & 0o077) !== 0;
    return { path, readableByOthers, ...parse(path) };
  }
  return undefined;
}

function candidates(): string[] {
  const paths: string[] = [];
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    paths.push(join(folder, NAME));
    if (dirname(folder) === folder) break;
  }
  return [...new Set([...paths, join(homedir(), NAME)])];
}

function parse(path: string): Pick<SettingsFile, 'members' | 'profiles'> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // The parser's words repeat the text, which may have secrets.
    throw usageError(`${path} ${error instanceof SyntaxError ? 'is not JSON' : 'cannot be read'}.`);
  }
  if (!isObject(content)) throw usageError(`${path} must hold an object.`);
  const { profiles = {}, ...members } = content;
  if (!isObject(profiles)) throw usageError(`${path}: profiles must be an object.`);
  const named = Object.entries(profiles).map(([name, profile]): [string, Record<string, unknown>] => {
    if (!isObject(profile)) throw usageError(`${path}: profiles.${name} must be an object.`);
    return [name, profile];
  });
  return { members, profiles: Object.fromEntries(named) };
}
