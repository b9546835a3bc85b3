// Leads and deals: the pipeline as a board, and both as tables.
import type { FC } from 'hono/jsx';
import { type DealStatus, dealStatuses } from '../../../shared/records/deals/states.ts';
import { leadStatuses } from '../../../shared/records/leads/states.ts';
import { wholeMoney } from '../../../clients/console/kit/format.ts';
import { Filters } from '../../../clients/console/kit/forms.tsx';
import { t, tCount } from '../../../clients/console/kit/language.ts';
import { List } from '../../../clients/console/kit/list.tsx';
import { Avatar, Badge, Empty, None, Panel, Tabs, Time } from '../../../clients/console/kit/small.tsx';
import type { Column } from '../../../clients/console/kit/table.tsx';
import type { Page } from '../view.ts';
import { type Deal, type Lead, readDeals, readLeads, readPipeline, readStages } from './queries.ts';

const RecordTabs: FC<{ path: string }> = ({ path }) => (
  <Tabs
    path={path}
    label={t('Records')}
    of={[
      ['/records', t('Pipeline')],
      ['/records/deals', t('Deals')],
      ['/records/leads', t('Leads')],
    ]}
  />
);

export const pipeline: Page = async (view) => {
  const [deals, stages] = await Promise.all([readPipeline(view), readStages(view)]);
  const open = deals.filter(({ status }) => status === 'open');
  const columns: StageColumnProps[] = [
    ...stages.map(({ id, name, probability }) => ({
      name,
      note: `${probability}\u00a0%`,
      deals: open.filter((deal) => deal.stage_id === id),
    })),
    {
      name: t('Won'),
      note: t('30 days'),
      result: 'won',
      deals: deals.filter(({ status }) => status === 'won'),
    },
    {
      name: t('Lost'),
      note: t('30 days'),
      result: 'lost',
      deals: deals.filter(({ status }) => status === 'lost'),
    },
  ];
  return {
    title: t('Records'),
    lead: t('Leads and deals of the tenant.'),
    body: (
      <>
        <RecordTabs path={view.path} />
        <div data-live="pipeline" id="live-pipeline">
          {deals.length === 0 ? (
            <Panel>
              <Empty title={t('No deals yet')}>
                {t('Convert a lead with')} <a href="/reference">POST /v1/leads/:id/convert</a>{' '}
                {t('or create a deal with')} POST /v1/deals.
              </Empty>
            </Panel>
          ) : (
            <section class="pipeline" aria-label={t('Pipeline')} tabindex={0}>
              {columns.map((column) => (
                <StageColumn {...column} />
              ))}
            </section>
          )}
        </div>
      </>
    ),
  };
};

interface StageColumnProps {
  name: string;
  note: string;
  /** Of closed deals, for the color. */
  result?: Exclude<DealStatus, 'open'>;
  deals: Deal[];
}

const StageColumn: FC<StageColumnProps> = ({ name, note, result, deals }) => (
  <section class={`stage ${result ?? ''}`}>
    <header>
      <h2>
        {name} <span class="muted">{note}</span>
      </h2>
      <p class="muted">
        {tCount(deals.length, '{count} deal', '{count} deals')}
        {sums(deals).map((sum) => (
          <>
            {' · '}
            <strong>{sum}</strong>
          </>
        ))}
      </p>
    </header>
    <ul>
      {deals.map((deal) => (
        <li data-key={deal.id} class="deal">
          <span class="deal-name">{deal.name}</span>
          {deal.company !== null && <span class="muted small">{deal.company}</span>}
          <span class="deal-foot">
            <strong>{wholeMoney(deal.value, deal.currency)}</strong>
            {deal.priority === 'high' && <Badge of={deal.priority} />}
            {deal.owner !== null && (
              <span class="deal-owner" title={deal.owner}>
                <Avatar name={deal.owner} />
                <span class="visually-hidden">{deal.owner}</span>
              </span>
            )}
          </span>
          {deal.loss_reason !== null && <span class="muted small">{deal.loss_reason}</span>}
        </li>
      ))}
    </ul>
  </section>
);

/** Sums the values of deals by currency. */
function sums(deals: Deal[]): string[] {
  const totals = new Map<string, number>();
  for (const { value, currency } of deals) totals.set(currency, (totals.get(currency) ?? 0) + Number(value));
  return [...totals].map(([currency, total]) => wholeMoney(total, currency));
}

export const deals: Page = async (view) => {
  const filter = { text: view.query('q'), status: view.query('status') };
  const rows = await readDeals(view, filter);
  return {
    title: t('Deals'),
    body: (
      <>
        <RecordTabs path={view.path} />
        <Filters
          action="/records/deals"
          search={{ value: filter.text, label: t('Search name, company or owner') }}
          choices={[{ name: 'status', label: t('Status'), value: filter.status, values: dealStatuses }]}
        />
        <List
          view={view}
          live="deals"
          label={t('Deals')}
          columns={dealColumns(view.now)}
          rows={rows}
          keyOf={({ id }) => id}
          filtered={{ by: filter, none: t('No deal matches the filters'), path: '/records/deals' }}
          none={t('No deals yet')}
        >
          {t('Create one with')} <a href="/reference">POST /v1/deals</a>.
        </List>
      </>
    ),
  };
};

const dealColumns = (now: Date): Column<Deal>[] => [
  { name: t('Deal'), cell: ({ name }) => <strong>{name}</strong> },
  { name: t('Company'), cell: ({ company }) => company ?? <None /> },
  { name: t('Value'), number: true, cell: ({ value, currency }) => wholeMoney(value, currency) },
  { name: t('Stage'), cell: ({ stage }) => stage },
  { name: t('Status'), cell: ({ status }) => <Badge of={status} /> },
  { name: t('Owner'), cell: ({ owner }) => owner ?? <None /> },
  { name: t('Updated'), cell: ({ updated_at: at }) => <Time at={at} now={now} /> },
];

export const leads: Page = async (view) => {
  const filter = { text: view.query('q'), status: view.query('status') };
  const rows = await readLeads(view, filter);
  return {
    title: t('Leads'),
    body: (
      <>
        <RecordTabs path={view.path} />
        <Filters
          action="/records/leads"
          search={{ value: filter.text, label: t('Search name, email or company') }}
          choices={[{ name: 'status', label: t('Status'), value: filter.status, values: leadStatuses }]}
        />
        <List
          view={view}
          live="leads"
          label={t('Leads')}
          columns={leadColumns(view.now)}
          rows={rows}
          keyOf={({ id }) => id}
          filtered={{ by: filter, none: t('No lead matches the filters'), path: '/records/leads' }}
          none={t('No leads yet')}
        >
          {t('Create one with')} <a href="/reference">POST /v1/leads</a>.
        </List>
      </>
    ),
  };
};

const leadColumns = (now: Date): Column<Lead>[] => [
  {
    name: t('Lead'),
    cell: ({ name, email }) => (
      <span class="two-lines">
        <strong>{name}</strong>
        <span class="muted small">{email}</span>
      </span>
    ),
  },
  { name: t('Company'), cell: ({ company }) => company ?? <None /> },
  { name: t('Status'), cell: ({ status }) => <Badge of={status} /> },
  { name: t('Source'), cell: ({ source }) => source ?? <None /> },
  { name: t('Owner'), cell: ({ owner }) => owner ?? <None /> },
  { name: t('Created'), cell: ({ created_at: at }) => <Time at={at} now={now} /> },
];
