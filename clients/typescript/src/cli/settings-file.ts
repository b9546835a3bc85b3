// .placarrc: settings of one deployment, or of several as named profiles.
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { usageError } from './exit-codes.ts';

const NAME = '.placarrc';

export interface SettingsFile {
  path: string;
  /** Settings by name, of the file itself or of one profile. */
  members: Record<string, unknown>;
  profiles: Record<string, Record<string, unknown>>;
  /** Whether other users of this machine can read the file. */
  readableByOthers: boolean;
  /** Whether it is the file in the home directory, which does not come with a cloned folder. */
  isHome: boolean;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first file from the working directory upward, then that of the home directory; undefined if there is none. */
export function findSettingsFile(): SettingsFile | undefined {
  for (const path of candidates()) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) continue;
    const me = process.getuid?.();
    // A file of another user could send our keys to any URL.
    if (me !== undefined && stat.uid !== me && stat.uid !== 0) {
      throw usageError(`${path} belongs to another user, so it is not read.`);
    }
    const readableByOthers = process.platform !== 'win32' && (stat.mode & 0o077) !== 0;
    return { path, readableByOthers, isHome: path === join(homedir(), NAME), ...parse(path) };
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
    // Parser messages quote the text, which may contain secrets.
    throw usageError(`${path} ${error instanceof SyntaxError ? 'is not JSON' : 'cannot be read'}.`);
  }
  if (!isObject(content)) throw usageError(`${path} must contain a JSON object.`);
  const { profiles = {}, ...members } = content;
  if (!isObject(profiles)) throw usageError(`${path}: profiles must be an object.`);
  const named = Object.entries(profiles).map(([name, profile]): [string, Record<string, unknown>] => {
    if (!isObject(profile)) throw usageError(`${path}: profiles.${name} must be an object.`);
    return [name, profile];
  });
  return { members, profiles: Object.fromEntries(named) };
}
