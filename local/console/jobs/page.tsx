// Jobs: background work and its results.
import { number } from '../../../clients/console/kit/format.ts';
import { Action, Filters } from '../../../clients/console/kit/forms.tsx';
import { t, tName } from '../../../clients/console/kit/language.ts';
import { Badge, Code, Facts, None, Panel, Time } from '../../../clients/console/kit/small.tsx';
import type { Column } from '../../../clients/console/kit/table.tsx';
import { List } from '../list.tsx';
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
    title: t('Jobs'),
    lead: t('Background work. Each job is a row in the database; queue messages only trigger it.'),
    body: (
      <>
        <ul class="counts" data-live="counts" id="live-counts">
          {STATUSES.map((status) => (
            <li>
              <a
                href={`/jobs?status=${status}`}
                {...(status === filter.status && { 'aria-current': 'true' as const })}
              >
                {tName(status)} <strong>{number(counts.get(status) ?? 0)}</strong>
              </a>
            </li>
          ))}
        </ul>
        <Filters
          action="/jobs"
          choices={[
            { name: 'status', label: t('Status'), value: filter.status, values: STATUSES },
            { name: 'name', label: t('Job'), value: filter.name, values: names },
          ]}
        />
        <List
          view={view}
          live="jobs"
          label={t('Jobs')}
          columns={columnsAt(view.now)}
          rows={rows}
          keyOf={({ id }) => id}
          filtered={{ by: filter, none: t('No job matches the filters'), path: '/jobs' }}
          none={t('No jobs yet')}
        >
          {t('Deliveries, emails, status checks and expirations appear here.')}
        </List>
      </>
    ),
  };
};

const columnsAt = (now: Date): Column<JobRow>[] => [
  { name: t('Job'), cell: ({ id, name }) => <a href={`/jobs/${id}`}>{name}</a> },
  { name: t('Key'), cell: ({ key }) => <span class="clip mono muted">{key}</span> },
  { name: t('Status'), cell: ({ status }) => <Badge of={status} /> },
  { name: t('Attempts'), number: true, cell: ({ attempts }) => number(attempts) },
  {
    name: t('Last error'),
    cell: ({ last_error: error }) => (error === null ? <None /> : <span class="clip">{error}</span>),
  },
  { name: t('Time'), cell: (row) => <Time at={row.finished_at ?? row.failed_at ?? row.due_at} now={now} /> },
  { name: t('Retry'), cell: (row) => <Retry of={row} /> },
];

const Retry = ({ of: { id, name, status } }: { of: JobRow }) =>
  status === 'failed' || status === 'waiting' ? (
    <Action action={`/jobs/${id}/retry`} about={name}>
      {t(status === 'failed' ? 'Retry' : 'Run now')}
    </Action>
  ) : (
    <None />
  );

export const job: Page = async (view) => {
  const [row] = await readJobs(view, { id: view.param('id') });
  if (!row) return undefined;
  return {
    title: row.name,
    lead: <a href="/jobs">{t('All jobs')}</a>,
    actions: <Retry of={row} />,
    body: (
      <Panel title={t('Job')} live="job">
        <Facts
          of={[
            [t('Status'), <Badge of={row.status} />],
            [t('Key'), <code>{row.key}</code>],
            [t('Attempts'), number(row.attempts)],
            [t('Failures'), number(row.failures)],
            [t('Due'), <Time at={row.due_at} now={view.now} />],
            [t('Finished'), row.finished_at && <Time at={row.finished_at} now={view.now} />],
            [t('Failed'), row.failed_at && <Time at={row.failed_at} now={view.now} />],
            [t('Created'), <Time at={row.created_at} now={view.now} />],
            [t('Id'), <code>{row.id}</code>],
          ]}
        />
        {row.last_error !== null && <Code label={t('last error')}>{row.last_error}</Code>}
      </Panel>
    ),
  };
};
