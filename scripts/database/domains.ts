// Assigns tables, views and functions to domains: the name of the migration that creates an object names its domain, and the
// comment at the top of the migration introduces it.
import { readdir, readFile } from 'node:fs/promises';

const folder = new URL('../../migrations/', import.meta.url);

/** Objects created by one migration. */
export interface Part {
  file: string;
  /** `Attempts` for `20261121000710_webhooks_attempts.sql`; the domain's title if it is the domain's only part. */
  title: string;
  /** Path of the part's page below `docs/`. */
  page: string;
  /** Markdown. */
  introduction: string;
  /** Names with their schema. */
  tables: Set<string>;
  /** Functions and views, with their schema. */
  routines: Set<string>;
}

export interface Domain {
  /** `webhooks` for `20261121000700_webhooks.sql` and `20261121000710_webhooks_attempts.sql`. */
  name: string;
  title: string;
  /** Path of the domain's page below `docs/`: that of its part if it has only one. */
  page: string;
  parts: Part[];
  tables: Set<string>;
}

/** Domains in the order of their first migrations. Migrations whose names start with the same word form one domain. */
export async function readDomains(): Promise<Domain[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  const names = files.map((file) => file.replace(/^\d+_|\.sql$/g, ''));
  const domains = new Map<string, Domain>();
  const created = new Set<string>();
  for (const [index, file] of files.entries()) {
    const text = await readFile(new URL(file, folder), 'utf8');
    const ownName = names[index] ?? '';
    const siblings = names.filter((other) => firstWord(other) === firstWord(ownName));
    const isOnlyPart = siblings.length === 1;
    const name = isOnlyPart ? ownName : firstWord(ownName);
    const tables = newNames(text, 'table (?:if not exists )?', created);
    const routines = newNames(text, '(?:or replace )?(?:function|view) ', created);
    for (const name of movedNames(text)) routines.add(name);
    // Migrations that only change objects of earlier ones have no page.
    if (tables.size + routines.size === 0) continue;
    const domain = domains.get(name) ?? {
      name,
      title: titleOf(name),
      page: pageOf(name),
      parts: [],
      tables: new Set<string>(),
    };
    domains.set(name, domain);
    const ownPart = ownName.slice(name.length + 1) || 'basics';
    for (const table of tables) domain.tables.add(table);
    domain.parts.push({
      file,
      title: isOnlyPart ? domain.title : titleOf(ownPart),
      page: isOnlyPart ? domain.page : pageOf(`${name}_${ownPart}`),
      introduction: introductionOf(text),
      tables,
      routines,
    });
  }
  return [...domains.values()];
}

/** The migrations with the current text of functions and views that a later migration replaced or moved, by name. */
export async function readReplacements(): Promise<Map<string, string>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  const first = new Map<string, string>();
  const current = new Map<string, string>();
  for (const file of files) {
    const text = await readFile(new URL(file, folder), 'utf8');
    for (const [, name = '', schema] of text.matchAll(DEFINITIONS)) {
      const named = schema ? `${schema}.${name.split('.')[1]}` : name;
      if (!first.has(named)) first.set(named, file);
      current.set(named, schema ? (current.get(name) ?? file) : file);
    }
  }
  return new Map([...current].filter(([name, file]) => first.get(name) !== file));
}

/** A definition, or a move to another schema. */
const DEFINITIONS =
  /^\s*(?:create (?:or replace )?(?:function|view)|alter function) ([a-z_]+\.\w+)(?:\([^)]*\) set schema (\w+))?/gim;

/** Names that the text creates and that are not in `created`; adds them to it. */
function newNames(text: string, kind: string, created: Set<string>): Set<string> {
  const pattern = new RegExp(`^\\s*create ${kind}([a-z_]+\\.\\w+)`, 'gim');
  const names = Array.from(text.matchAll(pattern), ([, name = '']) => name).filter(
    (name) => !created.has(name),
  );
  for (const name of names) created.add(name);
  return new Set(names);
}

/** New names of functions that the text moves to another schema. */
const movedNames = (text: string): string[] =>
  Array.from(
    text.matchAll(/^alter function \w+\.(\w+)\([^)]*\) set schema (\w+)/gim),
    ([, name, schema]) => `${schema}.${name}`,
  );

const pageOf = (name: string) => `database/${name.replaceAll('_', '-')}.md`;

const firstWord = (name: string) => name.split('_')[0] ?? name;

function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The comment at the top of a file: prose is joined into paragraphs, indented lines are kept. */
function introductionOf(file: string): string {
  const text = file.replace(/^set local lock_timeout.*\n+/, '');
  const end = text.search(/^(?!--)/m);
  const lines = text
    .slice(0, end)
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^-- ?/, ''));
  const parts: { verbatim: boolean; lines: string[] }[] = [];
  for (const line of lines) {
    const verbatim = /^\s{2,}\S/.test(line);
    const last = parts.at(-1);
    if (line.trim() === '') parts.push({ verbatim: false, lines: [] });
    else if (last?.verbatim === verbatim) last.lines.push(line);
    else parts.push({ verbatim, lines: [line] });
  }
  return parts
    .filter((part) => part.lines.length > 0)
    .map((part) => (part.verbatim ? `\`\`\`text\n${part.lines.join('\n')}\n\`\`\`` : part.lines.join('\n')))
    .join('\n\n');
}
