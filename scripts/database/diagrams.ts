// Mermaid diagrams. They use only basic syntax, because renderers have different versions.
import type { Catalog, Constraint, Table } from './catalog.ts';
import type { Domain } from './domains.ts';
import type { Effects } from './effects.ts';
import { shortName } from './markdown.ts';

const idOf = (name: string) => shortName(name).replaceAll('.', '_');
const fence = (lines: string[]) => ['```mermaid', ...lines, '```'].join('\n');

const isTenantOnly = (constraint: Constraint) => constraint.columns.join() === 'tenant_id';
const foreignKeys = (table: Table) =>
  table.constraints.filter(({ kind, references }) => kind === 'foreign key' && references !== null);

/** ER diagram of a domain's tables with their keys. Omits the relation to the tenant; other domains' tables are empty boxes. */
export function entityDiagram(tables: Table[]): string {
  const boxes = tables.map((table) => {
    const attributes = keyColumns(table);
    return attributes.length > 0
      ? [`  ${entity(table.name)} {`, ...attributes, '  }']
      : [`  ${entity(table.name)}`];
  });
  const relations = tables.flatMap((table) =>
    foreignKeys(table)
      .filter((key) => !isTenantOnly(key))
      .map((key) => relation(table, key)),
  );
  return fence(['erDiagram', ...boxes.flat(), ...[...new Set(relations)].sort()]);
}

const entity = (name: string) => {
  const short = shortName(name);
  return short.includes('.') ? `${idOf(name)}["${short}"]` : short;
};

function keyColumns(table: Table): string[] {
  return table.columns.flatMap(({ name, type }) => {
    if (name === 'tenant_id') return [];
    const of = (kind: Constraint['kind']) =>
      table.constraints.some((key) => key.kind === kind && key.columns.includes(name));
    const marks = [
      of('primary key') && 'PK',
      of('foreign key') && 'FK',
      of('unique') && !of('primary key') && 'UK',
    ];
    const said = marks.filter((mark) => mark !== false).join(', ');
    return said === '' ? [] : [`    ${type.replace(/\W+/g, '_')} ${name} ${said}`];
  });
}

function relation(table: Table, { columns, references }: Constraint): string {
  const own = columns.filter((column) => column !== 'tenant_id');
  const optional = table.columns.some(({ name, nullable }) => own.includes(name) && nullable);
  const single = table.constraints.some(
    ({ kind, columns: key }) =>
      (kind === 'unique' || kind === 'primary key') && key.every((column) => columns.includes(column)),
  );
  const ends = `${optional ? '|o' : '||'}--${single ? 'o|' : 'o{'}`;
  return `  ${idOf(references ?? '')} ${ends} ${idOf(table.name)} : "${own.join(', ')}"`;
}

interface Edge {
  from: string;
  function: string;
  to: string;
}

/** Edges from each table through its trigger functions to the tables that they write. */
export function writesOfTriggers({ tables }: Catalog, effects: Map<string, Effects>): Edge[] {
  const edges = tables.flatMap((table) =>
    table.triggers.flatMap((trigger) =>
      (effects.get(trigger.function)?.writes ?? []).map((write) => ({
        from: table.name,
        function: trigger.function,
        to: write.table,
      })),
    ),
  );
  const unique = new Map(edges.map((edge) => [`${edge.from} ${edge.function} ${edge.to}`, edge]));
  return [...unique.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, edge]) => edge);
}

/** The whole database: tables grouped by domain, with one arrow per pair of tables. */
export function writesOverview(edges: Edge[], domains: Domain[]): string {
  const shown = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const groups = domains.flatMap((domain) => {
    const tables = [...domain.tables].filter((name) => shown.has(name)).sort();
    if (tables.length === 0) return [];
    return [
      `  subgraph domain_${domain.name}["${domain.title}"]`,
      ...tables.map((name) => `  ${node(name)}`),
      '  end',
    ];
  });
  const arrows = new Set(edges.map(({ from, to }) => `  ${idOf(from)} --> ${idOf(to)}`));
  return fence(['flowchart LR', ...groups, ...arrows]);
}

/** Triggers of one domain's tables with their functions. Empty if they write nothing. */
export function writesOfDomain(edges: Edge[], domain: Domain): string {
  const own = edges.filter(({ from }) => domain.tables.has(from));
  if (own.length === 0) return '';
  const names = [...new Set(own.flatMap(({ from, to }) => [from, to]))].sort();
  const calls = [...new Set(own.map((edge) => edge.function))].sort();
  const arrows = own.flatMap((edge) => [
    `  ${idOf(edge.from)} --> ${functionId(edge.function)}`,
    `  ${functionId(edge.function)} --> ${idOf(edge.to)}`,
  ]);
  return fence([
    'flowchart LR',
    ...names.map(node),
    ...calls.map((name) => `  ${functionId(name)}(["${name}"])`),
    ...new Set(arrows),
  ]);
}

const node = (name: string) => `  ${idOf(name)}["${shortName(name)}"]`;
const functionId = (name: string) => `fn_${name.replaceAll('.', '_')}`;
