// docs/database.md, from a migrated database and the names of its migrations.
import { type Catalogue, type DatabaseFunction, readCatalogue } from './catalogue.ts';
import { entityDiagram, writesOfDomain, writesOfTriggers, writesOverview } from './diagrams.ts';
import { type Domain, type Part, readDomains } from './domains.ts';
import { type Effects, readEffects } from './effects.ts';
import { describeEffects } from './effects-text.ts';
import { anchor, code, codes, paragraphs, prose } from './markdown.ts';
import { indexLine, renderTable } from './table-text.ts';
import { renderTriggers } from './triggers.ts';

const PREFACE = `# The database

Generated from the migrated database by \`npm run database:docs\`; a test fails when it is out of date. Do not edit.

Migrations whose names begin with the same word are one domain. Every table with a \`tenant_id\` belongs to a tenant; that
relation is left out of the pictures, which show keys alone. Names without a schema are in \`public\`.

Triggers are listed in the order in which they fire: before the statement, before each row, after each row, after the
statement; by name within each. What a trigger writes fires the triggers of that table before the next trigger of the
first one. Foreign keys are checked, and deletions passed on, by triggers of Postgres itself, which are not listed. What a
function writes is read from its body, functions that it calls included.`;

/** The text of docs/database.md for the database at this URL. */
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
    '## What writes what',
    'An arrow says that a trigger of the first table writes the second. Functions in between are in the picture of each domain.',
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
