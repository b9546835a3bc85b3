// Every request, as the log has it.
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
    lead: 'What was called, by whom, and how it was answered.',
    body: (
      <>
        <Filters
          action="/requests"
          search={{ value: filter.text, label: 'Search path, reason or request id' }}
          choices={[
            { name: 'status', label: 'Answer', value: filter.status, values: ['ok', 'failed'] },
            {
              name: 'function',
              label: 'Function',
              value: filter.function,
              values: [...functionNames, EVERYTHING],
              any: 'the API',
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
          Call the API, from <a href="/reference">its reference</a> or with what <a href="/">the overview</a>{' '}
          has to paste.
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
  { name: 'Answer', cell: ({ status }) => <Status code={status} /> },
  { name: 'Reason', cell: (row) => <Reason of={row} /> },
  { name: 'Caller', cell: ({ caller, ip }) => caller ?? <span class="muted">{ip}</span> },
  { name: 'Took', number: true, cell: ({ duration_ms: took }) => `${number(took)} ms` },
  { name: 'When', cell: ({ at }) => <Time at={at} now={now} /> },
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
      <Panel title="What the log has">
        <Facts
          of={[
            ['Answer', <Status code={row.status} />],
            ['Reason', row.reason && words(row.reason)],
            ['Members at fault', row.fields?.length ? <Reason of={{ ...row, reason: null }} /> : null],
            ['Parameters', row.query?.map((name) => <code class="field">{name}</code>)],
            ['Function', row.function],
            ['Caller', row.caller ?? 'nobody whom we know'],
            ['Address', row.ip],
            ['Took', `${number(row.duration_ms)} ms`],
            ['When', <Time at={row.at} now={view.now} />],
            ['Request id', <code>{row.request_id}</code>],
            ['Stands for', plural(row.requests, 'request')],
          ]}
        />
        <p class="panel-text muted">
          The log keeps no bodies and no values of parameters. The request id is in the answer as{' '}
          <code>X-Request-Id</code>, and in the lines of the functions' log.
        </p>
      </Panel>
    ),
  };
};
