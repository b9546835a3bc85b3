// Generates docs/database.md from a migrated database and the names of its migrations.
import { type Catalogue, type DatabaseFunction, readCatalogue } from './catalogue.ts';
import { entityDiagram, writesOfDomain, writesOfTriggers, writesOverview } from './diagrams.ts';
import { type Domain, type Part, readDomains } from './domains.ts';
import { type Effects, readEffects } from './effects.ts';
import { describeEffects } from './effects-text.ts';
import { anchor, code, codes, paragraphs, prose } from './markdown.ts';
import { indexLine, renderTable } from './table-text.ts';
import { renderTriggers } from './triggers.ts';

const PREFACE = `# Database reference

This page is generated from the migrated database by \`npm run database:docs\`, and a test fails if it is outdated. Do not edit it.

Migrations whose names start with the same word form a domain. Every table with a \`tenant_id\` belongs to a tenant; the diagrams
omit that relation and show only keys. Names without a schema are in \`public\`.

Triggers are listed in firing order: before the statement, before each row, after each row, after the statement, and by name
within each group. If a trigger writes to a table, that table's triggers fire before the next trigger of the first table. Postgres
checks foreign keys and cascades deletions with internal triggers, which are not listed. The tables that a function writes are
determined from its body, including the functions that it calls.`;

/** Returns the text of docs/database.md for the database at this URL. */
export async function databaseDocument(databaseUrl: string): Promise<string> {
  const [catalogue, domains] = await Promise.all([readCatalogue(databaseUrl), readDomains()]);
  const lost = catalogue.tables.filter(({ name }) => !domains.some((domain) => domain.tables.has(name)));
  if (lost.length > 0) throw new Error(`No migration creates ${lost.map(({ name }) => name).join(', ')}`);
  const effects = readEffects(catalogue.functions);
  const edges = writesOfTriggers(catalogue, effects);
  const schemas = [
    ...new Set([...catalogue.functions, ...catalogue.views].map(({ name }) => schemaOf(name))),
  ].sort();
  const text = paragraphs(
    PREFACE,
    renderIndex(domains, catalogue, schemas),
    '## Writes between tables',
    'An arrow means that a trigger of the first table writes to the second. The diagram of each domain shows the functions in between.',
    writesOverview(edges, domains),
    ...domains.map((domain) =>
      paragraphs(
        `## ${domainHeading(domain)}`,
        writesOfDomain(edges, domain),
        ...domain.parts.map((part) => renderPart(part, catalogue, effects)),
      ),
    ),
    ...schemas.map((schema) => renderSchema(schema, catalogue, effects)),
  );
  return `${text}\n`;
}

const schemaOf = (name: string) => name.split('.')[0] ?? '';
const domainHeading = (domain: Domain) => `Domain ${domain.title}`;
const schemaHeading = (schema: string) => `Schema ${code(schema)}`;

function renderIndex(domains: Domain[], { tables }: Catalogue, schemas: string[]): string {
  const lines = domains.map((domain) =>
    [
      `- [${domain.title}](${anchor(domainHeading(domain))})`,
      ...tables.filter(({ name }) => domain.tables.has(name)).map((table) => `  ${indexLine(table)}`),
    ].join('\n'),
  );
  const functions = schemas.map((schema) => `[${code(schema)}](${anchor(schemaHeading(schema))})`);
  return `${lines.join('\n')}\n- Functions and views: ${functions.join(', ')}`;
}

function renderPart(part: Part, catalogue: Catalogue, effects: Map<string, Effects>): string {
  const tables = catalogue.tables.filter(({ name }) => part.tables.has(name));
  return paragraphs(
    `### ${code(part.file)}`,
    part.introduction,
    tables.length > 0 ? entityDiagram(tables) : '',
    ...tables.flatMap((table) => [
      ...renderTable(table, catalogue.tables),
      renderTriggers(table.triggers, catalogue.functions, effects),
    ]),
  );
}

function renderSchema(schema: string, catalogue: Catalogue, effects: Map<string, Effects>): string {
  const functions = catalogue.functions.filter(({ name }) => schemaOf(name) === schema);
  const views = catalogue.views.filter(({ name }) => schemaOf(name) === schema);
  const triggers = catalogue.tables.flatMap(({ triggers: own }) => own);
  return paragraphs(
    `## ${schemaHeading(schema)}`,
    views.length > 0 ? `### Views of ${code(schema)}` : '',
    views.map(({ name, comment }) => `- ${code(name)}: ${prose(comment)}`).join('\n'),
    functions.length > 0 ? `### Functions of ${code(schema)}` : '',
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
