// One request with the changes it made, and one change with the values before and after.
import { NotFoundError } from '../../typescript/src/errors.ts';
import { asJson, asText, type Json } from '../api/json.ts';
import { apiText } from '../kit/api-words.tsx';
import { t, tName } from '../kit/language.ts';
import { Empty, Facts, None, Panel, Status } from '../kit/small.tsx';
import { Moment, Value } from '../kit/value.tsx';
import { changes } from '../resources/administration.ts';
import { labelOf } from '../resources/labels.ts';
import type { Column } from '../resources/resource.ts';
import type { Page } from '../view.ts';
import { Members, SectionPanel } from './detail.tsx';

const callerOf = (value: unknown): string => {
  const { kind, id, label } = asJson(value);
  return [asText(label) || asText(id), asText(kind) && `(${tName(asText(kind))})`].filter(Boolean).join(' ');
};

export const request: Page = async (view) => {
  const id = view.param('id');
  const [rows, made] = await Promise.all([
    view.api
      .rows(`/v1/admin/requests/${encodeURIComponent(id)}`)
      .then((found) => found.rows)
      .catch((error: unknown) => {
        if (error instanceof NotFoundError) return [];
        throw error;
      }),
    view.api.rows('/v1/admin/changes', { request_id: id }).then((found) => found.rows),
  ]);
  const [row, ...others] = rows;
  if (!row) return undefined;
  return {
    title: `${asText(row.method)} ${asText(row.path)}`,
    lead: <a href="/requests">{t('Requests')}</a>,
    actions: <Status code={Number(row.status)} />,
    body: (
      <>
        {row.remedy !== null && (
          <p class="notice warn">
            <strong>{t('What to do')}:</strong> <Value column={{ name: 'remedy' }} row={row} />
            {apiText(asText(row.remedy)) !== undefined && (
              <span class="small" lang="en">
                {' '}
                ({asText(row.remedy)})
              </span>
            )}
          </p>
        )}
        <Panel>
          <Facts
            of={[
              [
                t('Reason'),
                row.reason !== null && <Value column={{ name: 'reason', as: 'name' }} row={row} />,
              ],
              [t('Invalid fields'), hasItems(row.fields) && <Value column={{ name: 'fields' }} row={row} />],
              [t('Parameters'), hasItems(row.query) && <Value column={{ name: 'query' }} row={row} />],
              [t('Caller'), callerOf(row.caller) || t('unknown')],
              [t('IP address'), asText(row.ip)],
              [t('Function'), asText(row.function)],
              [t('Duration'), `${asText(row.duration_ms)} ms`],
              [t('Time'), <Moment at={row.at} />],
              [t('Request id'), <code>{asText(row.request_id)}</code>],
            ]}
          />
          <p class="panel-text muted">{t('The log contains no bodies and no parameter values.')}</p>
        </Panel>
        {others.length > 0 && (
          <SectionPanel
            section={{ title: 'Other requests with this id', none: 'No requests in this period' }}
            columns={[
              { name: 'method', as: 'text' },
              { name: 'path' },
              { name: 'status', as: 'http' },
              { name: 'reason', as: 'name' },
              { name: 'at' },
            ]}
            rows={others}
          />
        )}
        <SectionPanel
          section={{ title: 'Changes by this request', none: 'This request changed no settings' }}
          columns={[
            { name: 'summary', href: ({ id: change }) => `/changes/${asText(change)}` },
            { name: 'at' },
          ]}
          rows={made}
        />
      </>
    ),
  };
};

const hasItems = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

export const change: Page = async (view) => {
  const found = await view.api.find(`/v1/admin/changes/${encodeURIComponent(view.param('id'))}`);
  if (!found) return undefined;
  const { before, after, ...row } = found.record;
  const [was, is] = [asJson(before), asJson(after)];
  const summary = asText(row.summary);
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const shown: Column[] = [
    ...changes.columns.slice(1),
    ...(changes.more ?? []),
    { name: 'actor.kind', label: 'Kind', as: 'name' },
  ];
  return {
    title: apiText(summary) ?? summary,
    lead: (
      <>
        <a href="/changes">{t('Changes')}</a>
        {apiText(summary) !== undefined && <span lang="en"> · {summary}</span>}
      </>
    ),
    body: (
      <>
        <Members columns={shown} record={row} />
        <Panel title={t('Before and after')}>
          {names.length === 0 ? (
            <Empty title={t('No values were recorded for this change')} />
          ) : (
            <section class="table-box" tabindex={0} aria-label={t('Before and after')}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t('Member')}</th>
                    <th scope="col">{t('Before')}</th>
                    <th scope="col">{t('After')}</th>
                  </tr>
                </thead>
                <tbody>
                  {names.map((name) => (
                    <tr>
                      <td>{labelOf({ name })}</td>
                      <td data-label={t('Before')}>
                        <Side of={was} name={name} />
                      </td>
                      <td data-label={t('After')}>
                        <Side of={is} name={name} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
          )}
        </Panel>
      </>
    ),
  };
};

const Side = ({ of, name }: { of: Json; name: string }) =>
  name in of ? <Value column={{ name }} row={of} /> : <None />;
