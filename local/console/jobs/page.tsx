// Jobs: background work and its results.
import { number } from '../kit/format.ts';
import { Action, Filters } from '../kit/forms.tsx';
import { List } from '../kit/list.tsx';
import { Badge, Code, Facts, None, Panel, Time } from '../kit/small.tsx';
import type { Column } from '../kit/table.tsx';
import type { Page } from '../view.ts';
import { type JobRow, readJobCounts, readJobNames, readJobs } from './queries.ts';

const STATUSES = ['failed', 'running', 'waiting', 'finished'];

export const jobs: Page = async (view) => {
  const filter = { status: view.query('status'), name: view.query('name') };
  const [rows, counts, names] = await Promise.all([
    readJobs(view, filter),
    readJobCounts(view),
    readJobNames(view),
  ]);
  return {
    title: 'Jobs',
    lead: 'Background work. Each job is a row in the database; queue messages only trigger it.',
    body: (
      <>
        <ul class="counts" data-live="counts" id="live-counts">
          {STATUSES.map((status) => (
            <li>
              <a
                href={`/jobs?status=${status}`}
                {...(status === filter.status && { 'aria-current': 'true' as const })}
              >
                <strong>{number(counts.get(status) ?? 0)}</strong> {status}
              </a>
            </li>
          ))}
        </ul>
        <Filters
          action="/jobs"
          choices={[
            { name: 'status', label: 'Status', value: filter.status, values: STATUSES },
            { name: 'name', label: 'Job', value: filter.name, values: names },
          ]}
        />
        <List
          live="jobs"
          label="Jobs"
          columns={columnsAt(view.now)}
          rows={rows}
          keyOf={({ id }) => id}
          filtered={{ by: filter, what: 'job', path: '/jobs' }}
          none="No jobs yet"
        >
          Deliveries, emails, status checks and expirations appear here.
        </List>
      </>
    ),
  };
};

const columnsAt = (now: Date): Column<JobRow>[] => [
  { name: 'Job', cell: ({ id, name }) => <a href={`/jobs/${id}`}>{name}</a> },
  { name: 'Key', cell: ({ key }) => <span class="clip mono muted">{key}</span> },
  { name: 'Status', cell: ({ status }) => <Badge of={status} /> },
  { name: 'Attempts', number: true, cell: ({ attempts }) => attempts },
  {
    name: 'Last error',
    cell: ({ last_error: error }) => (error === null ? <None /> : <span class="clip">{error}</span>),
  },
  { name: 'Time', cell: (row) => <Time at={row.finished_at ?? row.failed_at ?? row.due_at} now={now} /> },
  { name: 'Retry', cell: (row) => <Retry of={row} /> },
];

const Retry = ({ of: { id, name, status } }: { of: JobRow }) =>
  status === 'failed' || status === 'waiting' ? (
    <Action action={`/jobs/${id}/retry`} about={name}>
      {status === 'failed' ? 'Retry' : 'Run now'}
    </Action>
  ) : (
    <None />
  );

export const job: Page = async (view) => {
  const [row] = await readJobs(view, { id: view.param('id') });
  if (!row) return undefined;
  return {
    title: row.name,
    lead: <a href="/jobs">All jobs</a>,
    actions: <Retry of={row} />,
    body: (
      <Panel title="Job" live="job">
        <Facts
          of={[
            ['Status', <Badge of={row.status} />],
            ['Key', <code>{row.key}</code>],
            ['Attempts', number(row.attempts)],
            ['Failures', number(row.failures)],
            ['Due', <Time at={row.due_at} now={view.now} />],
            ['Finished', row.finished_at && <Time at={row.finished_at} now={view.now} />],
            ['Failed', row.failed_at && <Time at={row.failed_at} now={view.now} />],
            ['Created', <Time at={row.created_at} now={view.now} />],
            ['Id', <code>{row.id}</code>],
          ]}
        />
        {row.last_error !== null && <Code label="last error">{row.last_error}</Code>}
      </Panel>
    ),
  };
};
