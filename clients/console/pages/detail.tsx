// One record: its members, related rows and actions.
import type { Child, FC } from 'hono/jsx';
import { toJson } from '../../typescript/src/core/json.ts';
import { asJson, type Json } from '../api/json.ts';
import { withQuery } from '../api/page-api.ts';
import type { Directory } from '../api/workspace.ts';
import { t } from '../kit/language.ts';
import { Empty, Facts, Panel } from '../kit/small.tsx';
import { Table } from '../kit/table.tsx';
import { isNumeric, kindsOf, textOf, Value } from '../kit/value.tsx';
import { labelOf } from '../resources/labels.ts';
import {
  type Act,
  type Column,
  filled,
  nameOf,
  pathOf,
  type Resource,
  type Section,
} from '../resources/resource.ts';
import type { PageContent, View } from '../view.ts';
import { HiddenFields } from './form.tsx';

export const recordPath = ({ api, apiRest = '' }: Resource, id: string): string =>
  `${api}/${encodeURIComponent(id)}${apiRest}`;

/** `extra` is shown between the members and the sections. */
export async function detailPage(
  resource: Resource,
  view: View,
  extra?: (record: Json) => Promise<Child>,
): Promise<PageContent | undefined> {
  const found = await view.api.find(recordPath(resource, view.param('id')));
  if (!found) return undefined;
  const { record, etag } = found;
  const note = resource.note?.(record, view);
  const inSections = (resource.sections ?? []).flatMap(({ columns }) =>
    typeof columns === 'function' ? [] : columns,
  );
  const directory = await view.directory(...kindsOf([...columnsOf(resource, record), ...inSections]));
  const sections = await Promise.all(
    (resource.sections ?? []).map(async (section) => ({
      section,
      rows: await rowsOf(section, record, view),
    })),
  );
  return {
    title: nameOf(resource, record),
    lead: <a href={resource.path}>{t(resource.title)}</a>,
    actions: <RecordActs resource={resource} record={record} view={view} etag={etag} />,
    body: (
      <>
        {note && <p class="notice warn">{t(note)}</p>}
        <Members columns={columnsOf(resource, record)} record={record} directory={directory} />
        {await extra?.(record)}
        {sections.map(
          ({ section, rows }) =>
            rows && (
              <SectionPanel
                section={section}
                columns={typeof section.columns === 'function' ? section.columns(record) : section.columns}
                rows={rows}
                directory={directory}
              />
            ),
        )}
        {isAudited(resource) && view.can('read:audit') && (
          <p>
            <a href={withQuery('/changes', { subject: view.param('id') })}>{t('Who changed this')}</a>
          </p>
        )}
      </>
    ),
  };
}

/** Whether the resource is a setting, so that the audit trail has its changes. */
const isAudited = ({ api }: Resource): boolean => /^\/v1\/(admin\/|webhooks$)/.test(api);

/** The columns of the resource first, then all other members that the API returns. */
function columnsOf(resource: Resource, record: Json): Column[] {
  const described = [...resource.columns, ...(resource.more ?? [])];
  const roots = new Set(described.map(({ name }) => name.split('.')[0]));
  const inSections = new Set([
    ...(resource.omitted ?? []),
    ...(resource.sections ?? []).map(({ rows }) => rows?.name),
  ]);
  const rest = Object.keys(record).filter((name) => !roots.has(name) && !inSections.has(name));
  return [...described, ...rest.map((name) => ({ name }))];
}

/** Members with a value; objects below the others. */
export const Members: FC<{
  columns: readonly Column[];
  record: Json;
  directory?: Directory | undefined;
}> = ({ columns, record, directory }) => {
  const isLarge = ({ name, as }: Column) => {
    const value = asJson(record)[name];
    return (
      as === 'json' || (typeof value === 'object' && value !== null && !('name' in value) && !isFlat(value))
    );
  };
  const large = columns.filter(isLarge).filter(({ name }) => !isEmpty(record[name]));
  return (
    <Panel>
      <Facts
        of={columns
          .filter((column) => !isLarge(column))
          .map((column) => [
            labelOf(column),
            textOf(column, record, directory) !== '' && (
              <Value column={column} row={record} directory={directory} full />
            ),
          ])}
      />
      {large.map((column) => (
        <>
          <h2 class="panel-text">{labelOf(column)}</h2>
          <Value column={{ ...column, as: 'json' }} row={record} full />
        </>
      ))}
    </Panel>
  );
};

const isFlat = (value: object): boolean =>
  Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null);
const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);

async function rowsOf(section: Section, record: Json, view: View): Promise<Json[] | undefined> {
  if (section.rows) return section.rows(record);
  if (section.scope !== undefined && !view.can(section.scope)) return undefined;
  const path = section.api(record);
  return path === undefined ? undefined : (await view.api.rows(filled(path, view.param))).rows;
}

export const SectionPanel: FC<{
  section: Pick<Section, 'title' | 'none'>;
  columns: readonly Column[];
  rows: readonly Json[];
  directory?: Directory | undefined;
}> = ({ section, columns, rows, directory }) => (
  <Panel title={t(section.title)}>
    {rows.length === 0 ? (
      <Empty title={t(section.none)} />
    ) : (
      <Table
        label={t(section.title)}
        columns={columns.map((column) => ({
          name: labelOf(column),
          number: isNumeric(column),
          cell: (row: Json) => <Value column={column} row={row} directory={directory} />,
        }))}
        rows={rows}
        keyOf={(row) => String(row.id ?? toJson(row))}
      />
    )}
  </Panel>
);

interface RecordActsProps {
  resource: Resource;
  record: Json;
  view: View;
  etag: string | undefined;
}

const RecordActs: FC<RecordActsProps> = ({ resource, record, view, etag }) => (
  <>
    {(resource.recordActs ?? [])
      .filter(({ scope, when }) => view.can(scope) && (when?.(record, view) ?? true))
      .map((act) => (
        <RecordAct act={act} path={`${pathOf(resource, record)}/${act.name}`} view={view} etag={etag} />
      ))}
    {(resource.links ?? [])
      .filter(({ scope, when }) => view.can(scope) && (when?.(record) ?? true))
      .map(({ label, href }) => (
        <a class="button quiet" href={href(record)}>
          {t(label)}
        </a>
      ))}
  </>
);

export const RecordAct: FC<{ act: Act; path: string; view: View; etag: string | undefined }> = ({
  act,
  path,
  view,
  etag,
}) =>
  act.direct ? (
    <form method="post" action={path} class="action">
      <HiddenFields view={view} etag={etag} />
      <button type="submit" class="button quiet">
        {t(act.label)}
      </button>
    </form>
  ) : (
    <a class={`button ${act.danger ? 'danger' : 'quiet'}`} href={path}>
      {t(act.label)}
    </a>
  );
