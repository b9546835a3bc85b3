// Which domain a table or function belongs to: the migration that creates it says so by its name, and its first comment
// introduces the domain.
import { readdir, readFile } from 'node:fs/promises';

const folder = new URL('../../migrations/', import.meta.url);

export interface Domain {
  /** `webhooks`, of `20261101000900_webhooks.sql` and `20261101000950_webhooks_admin.sql`. */
  name: string;
  title: string;
  /** Markdown. */
  introduction: string;
  files: string[];
  /** Names, with their schema, of what its files create. */
  tables: Set<string>;
}

/** Domains in the order of their first migrations. */
export async function readDomains(): Promise<Domain[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  const domains = new Map<string, Domain>();
  const created = new Set<string>();
  for (const file of files) {
    const text = await readFile(new URL(file, folder), 'utf8');
    const name = file.replace(/^\d+_/, '').replace(/(_admin)?\.sql$/, '');
    const domain = domains.get(name) ?? {
      name,
      title: titleOf(name),
      introduction: introductionOf(text),
      files: [],
      tables: new Set<string>(),
    };
    domains.set(name, domain);
    domain.files.push(file);
    for (const [, table = ''] of text.matchAll(/^\s*create table (?:if not exists )?([a-z_]+\.\w+)/gim)) {
      if (!created.has(table)) domain.tables.add(table);
      created.add(table);
    }
  }
  return [...domains.values()];
}

function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The comment that a file begins with: running text, and indented lines as they are. */
function introductionOf(text: string): string {
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
