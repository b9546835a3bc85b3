// Assigns tables, views and functions to domains: the folder of the file that creates an object names its domain, and the
// comment at the top of the file introduces it.
import { readSources } from './sources.ts';

/** Objects created by one file. */
export interface Part {
  file: string;
  /** `Attempts` for `webhooks/attempts.sql`. */
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
  /** `webhooks` for `webhooks/endpoints.sql` and `webhooks/attempts.sql`. */
  name: string;
  title: string;
  /** Path of the domain's page below `docs/`. */
  page: string;
  parts: Part[];
  tables: Set<string>;
}

/** Domains in the order of their first files. Each folder is a domain. */
export async function readDomains(): Promise<Domain[]> {
  const domains = new Map<string, Domain>();
  const created = new Set<string>();
  for (const { path, sql } of await readSources()) {
    const [name = '', ownPart = ''] = path.replace('.sql', '').split('/');
    const tables = newNames(sql, 'table (?:if not exists )?', created);
    const routines = newNames(sql, '(?:or replace )?(?:function|view) ', created);
    if (tables.size + routines.size === 0) continue;
    const domain = domains.get(name) ?? {
      name,
      title: titleOf(name),
      page: pageOf(name),
      parts: [],
      tables: new Set<string>(),
    };
    domains.set(name, domain);
    for (const table of tables) domain.tables.add(table);
    domain.parts.push({
      file: path,
      title: titleOf(ownPart),
      page: pageOf(`${name}_${ownPart}`),
      introduction: introductionOf(sql),
      tables,
      routines,
    });
  }
  return [...domains.values()];
}

/** Names that the text creates and that are not in `created`; adds them to it. */
function newNames(text: string, kind: string, created: Set<string>): Set<string> {
  const pattern = new RegExp(`^\\s*create ${kind}([a-z_]+\\.\\w+)`, 'gim');
  const names = Array.from(text.matchAll(pattern), ([, name = '']) => name).filter(
    (name) => !created.has(name),
  );
  for (const name of names) created.add(name);
  return new Set(names);
}

const pageOf = (name: string) => `database/${name.replaceAll('_', '-')}.md`;

function titleOf(name: string): string {
  const words = name.replaceAll(/[_-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The comment at the top of a file: prose is joined into paragraphs, indented lines are kept. */
function introductionOf(file: string): string {
  const end = file.search(/^(?!--)/m);
  const lines = file
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
