// Renders a table: columns, constraints, indexes and privileges.
import type { Column, Constraint, Grant, Table } from './catalog.ts';
import { code, codes, type Link, prose, sqlText, table, tableHeading } from './markdown.ts';

/** Everything about a table except its triggers. */
export function renderTable(subject: Table, tables: Table[], link: Link): string[] {
  return [
    `## ${tableHeading(subject.name)}`,
    prose(subject.comment),
    subject.partitionedBy === null
      ? ''
      : `Partitioned by ${code(subject.partitionedBy)}. The partitions are not listed here.`,
    table(['column', 'type', 'null', 'default', 'comment'], subject.columns.map(renderColumn)),
    renderFacts(subject, tables, link)
      .map((fact) => `- ${fact}`)
      .join('\n'),
  ];
}

const renderColumn = ({ name, type, nullable, default: initial, comment }: Column) => [
  code(name),
  code(sqlText(type)),
  nullable ? 'null' : '',
  initial === null ? '' : code(sqlText(initial)),
  prose(comment),
];

function renderFacts(subject: Table, tables: Table[], link: Link): string[] {
  const { constraints, indexes, policies, grants } = subject;
  const keys = constraints.filter(({ kind }) => kind === 'primary key' || kind === 'unique');
  const references = constraints.filter(({ kind }) => kind === 'foreign key');
  const checks = constraints.filter(({ kind }) => kind === 'check');
  const lists = checks.flatMap((check) => listOfValues(check) ?? []);
  const others = checks.filter((check) => listOfValues(check) === null);
  const facts = [
    ...lists.map(
      ({ column, values }) =>
        `${column === 'status' ? 'States' : `Values of ${code(column)}`}: ${codes(values)}`,
    ),
    ...section('Keys', keys, ({ definition }) => code(simplify(definition))),
    ...section(
      'References',
      references,
      (key) => `${link(key.references ?? '')} by ${codes(ownColumns(key))}${onDelete(key)}`,
    ),
    ...deletionOf(subject, tables, link),
    ...section('Checks', others, ({ definition }) => code(simplify(definition))),
    ...section('Indexes', indexes, ({ name, definition }) => `${code(name)} ${code(indexed(definition))}`),
    `Privileges: ${rightsOf(grants)}`,
    ...section(
      'Policies',
      policies,
      ({ name, command, roles }) => `"${prose(name)}" (${command}, for ${roles.join(', ')})`,
    ),
  ];
  return facts;
}

const section = <T>(title: string, items: T[], render: (item: T) => string) =>
  items.length > 1
    ? [`${title}:\n${items.map((item) => `  - ${render(item)}`).join('\n')}`]
    : items.map((item) => `${title}: ${render(item)}`);

/** Omits `tenant_id`, which is part of every composite key. */
const ownColumns = ({ columns }: Constraint) =>
  columns.length > 1 ? columns.filter((column) => column !== 'tenant_id') : columns;

const onDelete = ({ onDelete: action }: Constraint) => (action === null ? '' : ` (on delete ${action})`);

/** The effects of a deletion on other tables, by their foreign keys. */
function deletionOf(subject: Table, tables: Table[], link: Link): string[] {
  const keys = tables.flatMap((other) =>
    other.constraints
      .filter(({ references }) => references === subject.name)
      .map((key) => ({ table: other.name, action: key.onDelete })),
  );
  const named = (action: string | null) =>
    [...new Set(keys.filter((key) => key.action === action).map((key) => link(key.table)))].sort().join(', ');
  const parts = [
    ['also deletes rows of', named('cascade')],
    ['sets the reference to null in', named('set null')],
    ['fails while rows reference it in', named(null)],
  ].flatMap(([verb, list]) => (list ? [`${verb} ${list}`] : []));
  return parts.length > 0 ? [`Deleting a row ${parts.join('; ')}`] : [];
}

/** The values of `check (status in (...))`; null for other checks. */
export function listOfValues({
  columns,
  definition,
}: Constraint): { column: string; values: string[] } | null {
  const [column, ...more] = columns;
  if (column === undefined || more.length > 0) return null;
  const match = definition.match(/^CHECK \(\(?(\w+) = ANY \(ARRAY\[([^\]]*)\]\)\)?\)$/);
  if (match?.[1] !== column) return null;
  return { column, values: [...(match[2] ?? '').matchAll(/'([^']*)'/g)].map(([, value = '']) => value) };
}

const simplify = (definition: string) => sqlText(definition).replace(/^CHECK \((.*)\)$/, '$1');

const indexed = (definition: string) =>
  sqlText(definition)
    .replace(/^CREATE (UNIQUE )?INDEX \S+ ON (?:ONLY )?\S+ USING /, (_, unique = '') => unique)
    .replace(/^(UNIQUE )?btree /, '$1');

function rightsOf(grants: Grant[]): string {
  const roles = [...new Set(grants.map(({ role }) => role))];
  if (roles.length === 0) return 'only its owner';
  return roles
    .map((role) => {
      const privileges = grants
        .filter((grant) => grant.role === role)
        .map(({ privilege, columns }) => (columns === null ? privilege : `${privilege} (${codes(columns)})`));
      return `${code(role)} ${privileges.join(', ')}`;
    })
    .join('; ');
}

export const indexLine = ({ name, comment }: { name: string; comment: string | null }, link: Link) =>
  `- ${link(name)}: ${prose(comment)}`;
