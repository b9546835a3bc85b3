// The request log.
import type { FC } from 'hono/jsx';
import { number } from '../../../clients/console/kit/format.ts';
import { Filters } from '../../../clients/console/kit/forms.tsx';
import { t, tCount, tName } from '../../../clients/console/kit/language.ts';
import { Facts, Method, None, Panel, Status, Time } from '../../../clients/console/kit/small.tsx';
import type { Column } from '../../../clients/console/kit/table.tsx';
import { functionNames } from '../../../functions/manifest.ts';
import { List } from '../list.tsx';
import type { Page } from '../view.ts';
import { EVERYTHING, type LoggedRequest, readRequest, readRequests } from './queries.ts';

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'];

export const requests: Page = async (view) => {
  const filter = {
    text: view.query('q'),
    status: view.query('status'),
    function: view.query('function'),
    method: view.query('method'),
    period: view.query('period'),
  };
  const rows = await readRequests(view, filter);
  return {
    title: t('Unknown callers'),
    lead: t('Requests of unknown callers, and of the stack itself.'),
    body: (
      <>
        <Filters
          action="/requests/unknown"
          search={{ value: filter.text, label: t('Search path, reason or request id') }}
          choices={[
            { name: 'status', label: t('Status'), value: filter.status, values: ['ok', 'failed'] },
            {
              name: 'function',
              label: t('Function'),
              value: filter.function,
              values: [...functionNames, EVERYTHING],
              any: t('API functions'),
            },
            { name: 'method', label: t('Method'), value: filter.method, values: METHODS },
            {
              name: 'period',
              label: t('Period'),
              value: filter.period,
              values: ['today', 'yesterday', 'last_7_days'],
            },
          ]}
        />
        <List
          view={view}
          live="requests"
          label={t('Requests')}
          columns={columnsAt(view.now)}
          rows={rows}
          keyOf={({ request_id: id }) => id}
          filtered={{ by: filter, none: t('No request matches the filters'), path: '/requests/unknown' }}
          none={t('No requests yet')}
        >
          <a href="/reference">{t('Send a request from the API reference')}</a> {t('or')}{' '}
          <a href="/">{t('copy one from the overview')}</a>.
        </List>
      </>
    ),
  };
};

const columnsAt = (now: Date): Column<LoggedRequest>[] => [
  {
    name: t('Request'),
    cell: ({ request_id: id, method, path }) => (
      <a href={`/requests/unknown/${id}`} class="request">
        <Method of={method} /> <span class="path">{path}</span>
      </a>
    ),
  },
  { name: t('Status'), cell: ({ status }) => <Status code={status} /> },
  { name: t('Reason'), cell: (row) => <Reason of={row} /> },
  { name: t('Caller'), cell: ({ caller, ip }) => caller ?? <span class="muted">{ip}</span> },
  { name: t('Duration'), number: true, cell: ({ duration_ms: took }) => `${number(took)} ms` },
  { name: t('Time'), cell: ({ at }) => <Time at={at} now={now} /> },
];

const Reason: FC<{ of: LoggedRequest }> = ({ of: { reason, fields } }) => {
  if (reason === null && !fields?.length) return <None />;
  return (
    <span class="reason">
      {reason !== null && <span title={reason}>{tName(reason)}</span>}
      {fields?.map((field) => (
        <code class="field">{field}</code>
      ))}
    </span>
  );
};

export const request: Page = async (view) => {
  const row = await readRequest(view, view.param('id'));
  if (!row) return undefined;
  return {
    title: `${row.method} ${row.path}`,
    lead: <a href="/requests/unknown">{t('All requests')}</a>,
    actions: <Status code={row.status} />,
    body: (
      <Panel title={t('Log entry')}>
        <Facts
          of={[
            [t('Status'), <Status code={row.status} />],
            [t('Reason'), row.reason && <Reason of={{ ...row, fields: null }} />],
            [t('What to do'), row.remedy && <span lang="en">{row.remedy}</span>],
            [t('Invalid fields'), row.fields?.length ? <Reason of={{ ...row, reason: null }} /> : null],
            [t('Parameters'), row.query?.map((name) => <code class="field">{name}</code>)],
            [t('Function'), row.function],
            [t('Caller'), row.caller ?? t('unknown')],
            [t('IP address'), row.ip],
            [t('Duration'), `${number(row.duration_ms)} ms`],
            [t('Time'), <Time at={row.at} now={view.now} />],
            [t('Request id'), <code>{row.request_id}</code>],
            [t('Represents'), tCount(row.requests, '{count} request', '{count} requests')],
          ]}
        />
        <p class="panel-text muted">
          {t('The log contains no bodies and no parameter values.')}{' '}
          {t('The request id is also in the logs of the functions and in the response header')}{' '}
          <code>X-Request-Id</code>.
        </p>
      </Panel>
    ),
  };
};
