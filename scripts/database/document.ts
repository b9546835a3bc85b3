// Generates docs/database.md and the pages below docs/database/ from a migrated database and the names of its migrations.
import { posix } from 'node:path';
import { type Catalog, type DatabaseFunction, readCatalog, type Table } from './catalog.ts';
import { entityDiagram, writesOfDomain, writesOfTriggers, writesOverview } from './diagrams.ts';
import { type Domain, type Part, readDomains } from './domains.ts';
import { type Effects, readEffects } from './effects.ts';
import { describeEffects } from './effects-text.ts';
import { anchor, code, codes, type Link, paragraphs, prose, shortName, tableHeading } from './markdown.ts';
import { indexLine, renderTable } from './table-text.ts';
import { renderTriggers } from './triggers.ts';

const GENERATED =
  'This page is generated from the migrated database by `npm run database:docs`, and a test fails if it is outdated. Do not edit it.';

const OVERVIEW = 'database.md';
const WRITES = 'database/writes.md';
const FUNCTIONS = 'database/functions.md';

/** If a page would have more characters, its tables get pages of their own. About 9000 px at a width of 1440 px. */
const MAX_PAGE_LENGTH = 10_500;

const PREFACE = `# Database reference

Find a table, a view or a function of the database: each domain has its own pages, with columns, constraints, triggers in firing order, and
functions. [Functions and views](${FUNCTIONS}) lists functions and views by name; [writes between tables](${WRITES}) shows
which tables a change of a table writes to.

${GENERATED}

Migrations whose names start with the same word form a domain, and each migration has a page; tables of long pages have their own.
Every table with a \`tenant_id\` belongs to a tenant; the diagrams omit that relation and show only keys. Names without a schema are
in \`public\`.

Triggers are listed in firing order: before the statement, before each row, after each row, after the statement, and by name
within each group. If a trigger writes to a table, that table's triggers fire before the next trigger of the first table. Postgres
checks foreign keys and cascades deletions with internal triggers, which are not listed. The tables that a function writes are
determined from its body, including the functions that it calls.`;

/** The input for the pages. */
interface Source {
  catalog: Catalog;
  effects: Map<string, Effects>;
  domains: Domain[];
  /** Parts whose tables have pages of their own. */
  split: Set<Part>;
}

/** Returns the texts of the pages for the database at this URL, by their paths below `docs/`. */
export async function databasePages(databaseUrl: string): Promise<Map<string, string>> {
  const [catalog, domains] = await Promise.all([readCatalog(databaseUrl), readDomains()]);
  const source: Source = { catalog, effects: readEffects(catalog.functions), domains, split: new Set() };
  const parts = domains.flatMap((domain) => domain.parts);
  const created = new Set(parts.flatMap(({ tables, routines }) => [...tables, ...routines]));
  const lost = [...catalog.tables, ...catalog.functions, ...catalog.views].filter(
    ({ name }) => !created.has(name),
  );
  if (lost.length > 0) throw new Error(`No migration creates ${lost.map(({ name }) => name).join(', ')}`);
  for (const domain of domains) {
    for (const part of domain.parts) {
      if (renderPart(part, domain, source, code).length > MAX_PAGE_LENGTH) source.split.add(part);
    }
  }
  const pages = [
    [OVERVIEW, renderOverview(source)],
    [WRITES, renderWrites(source)],
    [FUNCTIONS, renderFunctionIndex(source)],
    ...domains.map((domain) => [domain.page, renderDomain(domain, source)]),
    ...domains.flatMap((domain) =>
      domain.parts.flatMap((part) => [
        [part.page, renderPart(part, domain, source)] as const,
        ...tablePages(part, source),
      ]),
    ),
  ] as const;
  const texts = new Map<string, string>();
  for (const [page = '', text = ''] of pages) {
    if (texts.has(page)) throw new Error(`Two pages have the path ${page}`);
    texts.set(page, `${text}\n`);
  }
  return texts;
}

/** Links for the page at a path below `docs/`. */
function linksFrom(page: string, source: Source): Link {
  const { domains, catalog } = source;
  const targets = new Map(
    domains.flatMap((domain) =>
      domain.parts.flatMap((part) => [
        ...[...part.tables].map(
          (name) => [name, `${pageOfTable(name, part, source)}${anchor(tableHeading(name))}`] as const,
        ),
        ...[...part.routines].map((name) => {
          const isView = catalog.views.some((view) => view.name === name);
          return [name, `${part.page}${isView ? '#views' : '#functions'}`] as const;
        }),
      ]),
    ),
  );
  return (name) => {
    const target = targets.get(name);
    return target === undefined
      ? code(shortName(name))
      : `[${code(shortName(name))}](${relativeTo(page, target)})`;
  };
}

function pageOfTable(name: string, part: Part, { split }: Source): string {
  if (!split.has(part)) return part.page;
  return part.page.replace('.md', `-${shortName(name).replaceAll(/[._]/g, '-')}.md`);
}

/** The link from a page to another page, or to a heading of itself. */
function relativeTo(page: string, target: string): string {
  const [path = '', hash] = target.split('#');
  const suffix = hash === undefined ? '' : `#${hash}`;
  return path === page ? suffix : posix.relative(posix.dirname(page), path) + suffix;
}

function renderOverview(source: Source): string {
  const link = linksFrom(OVERVIEW, source);
  return paragraphs(
    PREFACE,
    ...source.domains.map((domain) =>
      paragraphs(
        `## ${domain.title}`,
        [
          `- [${domain.parts.length > 1 ? 'All pages and the diagram' : 'Tables and functions'}](${domain.page})`,
          ...source.catalog.tables
            .filter(({ name }) => domain.tables.has(name))
            .map((table) => indexLine(table, link)),
        ].join('\n'),
      ),
    ),
  );
}

function renderWrites({ catalog, effects, domains }: Source): string {
  return paragraphs(
    '# Database: writes between tables',
    GENERATED,
    'An arrow means that a trigger of the first table writes to the second. The diagram of each domain shows the functions in between:',
    domains.map(({ title, page }) => `[${title}](${relativeTo(WRITES, page)})`).join(', '),
    writesOverview(writesOfTriggers(catalog, effects), domains),
  );
}

/** All functions and views by schema and name. */
function renderFunctionIndex(source: Source): string {
  const link = linksFrom(FUNCTIONS, source);
  const names = [...new Set([...source.catalog.views, ...source.catalog.functions].map(({ name }) => name))];
  const schemas = [...new Set(names.map(schemaOf))].sort();
  return paragraphs(
    '# Database: functions and views',
    `All functions and views by name, with links to their descriptions. ${GENERATED}`,
    ...schemas.map((schema) =>
      paragraphs(
        `## Schema ${code(schema)}`,
        names
          .filter((name) => schemaOf(name) === schema)
          .sort()
          .map((name) => link(name))
          .join(',\n'),
      ),
    ),
  );
}

const schemaOf = (name: string) => name.split('.')[0] ?? '';

/** The page of a domain that has several migrations. */
function renderDomain(domain: Domain, source: Source): string {
  const link = linksFrom(domain.page, source);
  return paragraphs(
    `# Database: ${domain.title}`,
    `The pages of the domain, one for each migration, with their tables. ${GENERATED}`,
    domain.parts
      .map(({ title, page, tables }) => {
        const names = source.catalog.tables
          .filter(({ name }) => tables.has(name))
          .map(({ name }) => link(name));
        return `- [${title}](${relativeTo(domain.page, page)})${names.length > 0 ? `: ${names.join(', ')}` : ''}`;
      })
      .join('\n'),
    renderDomainWrites(domain, source),
  );
}

function renderDomainWrites(domain: Domain, { catalog, effects }: Source): string {
  const diagram = writesOfDomain(writesOfTriggers(catalog, effects), domain);
  return diagram === ''
    ? ''
    : paragraphs('## Writes', 'Triggers of these tables with the tables that they write:', diagram);
}

const titleOfPart = (part: Part, domain: Domain) =>
  part.page === domain.page ? domain.title : `${domain.title}, ${part.title.toLowerCase()}`;

function renderPart(part: Part, domain: Domain, source: Source, link = linksFrom(part.page, source)): string {
  const tables = source.catalog.tables.filter(({ name }) => part.tables.has(name));
  return paragraphs(
    `# Database: ${titleOfPart(part, domain)}`,
    `What ${code(part.file)} creates. ${GENERATED}`,
    part.introduction,
    tables.length > 0 ? entityDiagram(tables) : '',
    ...(source.split.has(part)
      ? ['## Tables', tables.map((table) => indexLine(table, link)).join('\n')]
      : tables.map((table) => renderTableWithTriggers(table, source, link))),
    part.page === domain.page ? renderDomainWrites(domain, source) : '',
    renderRoutines(part, source),
  );
}

const renderTableWithTriggers = (table: Table, { catalog, effects }: Source, link: Link): string =>
  paragraphs(
    ...renderTable(table, catalog.tables, link),
    renderTriggers(table.triggers, catalog.functions, effects, link),
  );

/** Pages of single tables, with their paths; none unless the part is split. */
function tablePages(part: Part, source: Source): [string, string][] {
  if (!source.split.has(part)) return [];
  return source.catalog.tables
    .filter(({ name }) => part.tables.has(name))
    .map((table) => {
      const page = pageOfTable(table.name, part, source);
      const text = paragraphs(
        `# Database: ${shortName(table.name)}`,
        `A table of [${part.title}](${relativeTo(page, part.page)}). ${GENERATED}`,
        renderTableWithTriggers(table, source, linksFrom(page, source)),
      );
      return [page, text];
    });
}

function renderRoutines(part: Part, { catalog, effects }: Source): string {
  const functions = catalog.functions.filter(({ name }) => part.routines.has(name));
  const views = catalog.views.filter(({ name }) => part.routines.has(name));
  const triggers = catalog.tables.flatMap(({ triggers: own }) => own);
  return paragraphs(
    views.length > 0 ? '## Views' : '',
    views.map(({ name, comment }) => `- ${code(name)}: ${prose(comment)}`).join('\n'),
    functions.length > 0 ? '## Functions' : '',
    functions
      .map((found) => {
        const calling = triggers.filter((trigger) => trigger.function === found.name);
        return renderFunction(found, effects.get(found.name), calling.length);
      })
      .join('\n'),
  );
}

function renderFunction(found: DatabaseFunction, effects: Effects | undefined, triggers: number): string {
  const { name, arguments: given, result, definer, volatility, comment, executableBy } = found;
  const does = describeEffects(effects);
  const callers = executableBy.length > 0 ? codes(executableBy) : 'its owner';
  const facts = [
    definer ? 'Runs as its owner' : 'Runs as its caller',
    volatility,
    result === 'trigger'
      ? `called by ${triggers} ${triggers === 1 ? 'trigger' : 'triggers'}`
      : `executable by ${callers}`,
  ].join(', ');
  return [
    `- ${code(`${name}(${given})`)}${result === 'trigger' ? '' : ` returns ${code(result)}`}<br>`,
    `  ${prose(comment)}<br>`,
    `  ${facts}.${does === '' ? '' : ` It ${does}.`}`,
  ].join('\n');
}
