// The request log.
import type { FC } from 'hono/jsx';
import { functionNames } from '../../../functions/manifest.ts';
import { number, plural, words } from '../kit/format.ts';
import { Filters } from '../kit/forms.tsx';
import { List } from '../kit/list.tsx';
import { Facts, Method, None, Panel, Status, Time } from '../kit/small.tsx';
import type { Column } from '../kit/table.tsx';
import type { Page } from '../view.ts';
import { EVERYTHING, type LoggedRequest, readRequest, readRequests } from './queries.ts';

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'];

export const requests: Page = async (view) => {
  const filter = {
    text: view.query('q'),
    status: view.query('status'),
    function: view.query('function'),
    method: view.query('method'),
  };
  const rows = await readRequests(view, filter);
  return {
    title: 'Requests',
    lead: 'All API requests, with callers and responses.',
    body: (
      <>
        <Filters
          action="/requests"
          search={{ value: filter.text, label: 'Search path, reason or request id' }}
          choices={[
            { name: 'status', label: 'Status', value: filter.status, values: ['ok', 'failed'] },
            {
              name: 'function',
              label: 'Function',
              value: filter.function,
              values: [...functionNames, EVERYTHING],
              any: 'API functions',
            },
            { name: 'method', label: 'Method', value: filter.method, values: METHODS },
          ]}
        />
        <List
          live="requests"
          label="Requests"
          columns={columnsAt(view.now)}
          rows={rows}
          keyOf={({ request_id: id }) => id}
          filtered={{ by: filter, what: 'request', path: '/requests' }}
          none="No requests yet"
        >
          Send a request from the <a href="/reference">API reference</a>, or copy one from the{' '}
          <a href="/">overview</a>.
        </List>
      </>
    ),
  };
};

const columnsAt = (now: Date): Column<LoggedRequest>[] => [
  {
    name: 'Request',
    cell: ({ request_id: id, method, path }) => (
      <a href={`/requests/${id}`} class="request">
        <Method of={method} /> <span class="path">{path}</span>
      </a>
    ),
  },
  { name: 'Status', cell: ({ status }) => <Status code={status} /> },
  { name: 'Reason', cell: (row) => <Reason of={row} /> },
  { name: 'Caller', cell: ({ caller, ip }) => caller ?? <span class="muted">{ip}</span> },
  { name: 'Duration', number: true, cell: ({ duration_ms: took }) => `${number(took)} ms` },
  { name: 'Time', cell: ({ at }) => <Time at={at} now={now} /> },
];

const Reason: FC<{ of: LoggedRequest }> = ({ of: { reason, fields } }) => {
  if (reason === null && !fields?.length) return <None />;
  return (
    <span class="reason">
      {reason !== null && <span>{words(reason)}</span>}
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
    lead: <a href="/requests">All requests</a>,
    actions: <Status code={row.status} />,
    body: (
      <Panel title="Log entry">
        <Facts
          of={[
            ['Status', <Status code={row.status} />],
            ['Reason', row.reason && words(row.reason)],
            ['Invalid fields', row.fields?.length ? <Reason of={{ ...row, reason: null }} /> : null],
            ['Parameters', row.query?.map((name) => <code class="field">{name}</code>)],
            ['Function', row.function],
            ['Caller', row.caller ?? 'unknown'],
            ['IP address', row.ip],
            ['Duration', `${number(row.duration_ms)} ms`],
            ['Time', <Time at={row.at} now={view.now} />],
            ['Request id', <code>{row.request_id}</code>],
            ['Represents', plural(row.requests, 'request')],
          ]}
        />
        <p class="panel-text muted">
          The log contains no bodies and no parameter values. The request id is also in the response header{' '}
          <code>X-Request-Id</code> and in the logs of the functions.
        </p>
      </Panel>
    ),
  };
};
