// The start page: the workspace and its plan, requests and failures by hour, and problems that need attention.
import type { Child, FC } from 'hono/jsx';
import { PlacarError } from '../../typescript/src/errors.ts';
import { asNumber, asText, type Json, memberOf } from '../api/json.ts';
import type { Rows } from '../api/page-api.ts';
import type { ReadRequests } from '../api/request-history.ts';
import { ApiText } from '../kit/api-words.tsx';
import { Bars } from '../kit/charts.tsx';
import { number } from '../kit/format.ts';
import { moment } from '../kit/format-time.ts';
import { t, tCount, tName } from '../kit/language.ts';
import { Badge, Empty, Panel } from '../kit/small.tsx';
import { crmAccounts } from '../resources/crm.ts';
import { CRMS_API, crmTitle, MANAGES } from '../resources/crm-forms.ts';
import { pathOf } from '../resources/resource.ts';
import type { Page, View } from '../view.ts';
import { PlanUse } from './workspace.tsx';

const HOURS = 24;
const HOUR_MS = 3_600_000;
const FIRST_FAILURE = 400;
const FIRST_SERVER_ERROR = 500;

const none: Rows = { rows: [] };

/** Returns nothing if a part of the page is rejected, so that the other parts are still shown. */
const orNone = async (asked: boolean, read: () => Promise<Rows>): Promise<Rows | undefined> => {
  if (!asked) return undefined;
  try {
    return await read();
  } catch (error) {
    if (error instanceof PlacarError && (error.status === 403 || error.status === 404)) return none;
    throw error;
  }
};

export const overview: Page = async (view) => {
  const { api, can } = view;
  const [plan, payouts, accounts, crms, webhooks, codes] = await Promise.all([
    can('read:settings') ? api.one('/v1/admin/plan') : undefined,
    orNone(can('read:payouts'), () => api.rows('/v1/admin/payouts', { waiting: 'approval' })),
    orNone(can('read:payments'), () => api.rows('/v1/admin/provider-accounts')),
    orNone(can(MANAGES), () => api.rows(CRMS_API)),
    orNone(can('read:webhooks'), () => api.rows('/v1/webhooks', { per_page: 100 })),
    orNone(can('read:gamification'), () => api.rows('/v1/admin/activity-codes', { mapped: 'false' })),
  ]);
  // After the others, so that it may use the calls that are left.
  const log = can('read:audit') ? await view.requests.read(api, view.now) : undefined;
  const used = (name: string) => asNumber(memberOf(plan?.record, `${name}.used`)) ?? 0;
  const isNew = plan !== undefined && used('users') <= 1 && used('webhooks') === 0;
  return {
    title: t('Overview'),
    lead: view.workspace.name || t('Recent activity, and what needs your attention.'),
    body: (
      <>
        {isNew && <SetUp />}
        <Panel title={t('Waiting for you')} live="waiting">
          <Waiting payouts={payouts} accounts={accounts} crms={crms} webhooks={webhooks} codes={codes} />
        </Panel>
        {log && (
          <Panel
            title={t('Requests by hour')}
            live="traffic"
            aside={<a href="/requests?status=failed">{t('Failed requests')}</a>}
          >
            <Traffic of={log} view={view} />
          </Panel>
        )}
        {plan && (
          <Panel title={t('Plan: {name}', { name: tName(asText(plan.record.name)) })}>
            <PlanUse plan={plan.record} />
          </Panel>
        )}
      </>
    ),
  };
};

const SetUp: FC = () => {
  const steps = [
    ['/gamification/missions/new', 'Create a mission', 'Tasks that earn points.'],
    ['/records/users/new', 'Invite a user', 'Players and team leaders.'],
    ['/crm', 'Connect your CRM', 'Leads, deals and activities from your CRM.'],
    ['/webhooks/new', 'Create a webhook', 'Notify your systems of changes in this workspace.'],
  ] as const;
  return (
    <Panel title={t('First steps')}>
      <ul class="list">
        {steps.map(([path, name, note]) => (
          <li>
            <a class="list-main" href={path}>
              {t(name)}
            </a>
            <span class="list-note muted">{t(note)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
};

interface WaitingProps {
  payouts: Rows | undefined;
  accounts: Rows | undefined;
  /** Accounts at CRMs. */
  crms: Rows | undefined;
  webhooks: Rows | undefined;
  /** Activity codes without a mission. */
  codes: Rows | undefined;
}

const Waiting: FC<WaitingProps> = ({ payouts, accounts, crms, webhooks, codes }) => {
  const isFailing = ({ status }: Json) => status === 'failing';
  const failing = [
    ...(accounts?.rows ?? [])
      .filter(isFailing)
      .map(({ id, provider, reason }) => ({ href: `/payments/providers/${asText(id)}`, provider, reason })),
    ...(crms?.rows ?? [])
      .filter(isFailing)
      .map((crm) => ({ href: pathOf(crmAccounts, crm), provider: crmTitle(crm.crm), reason: crm.reason })),
  ];
  const differing = (crms?.rows ?? []).filter((crm) => !isFailing(crm) && Number(crm.open_differences) > 0);
  const stopped = (webhooks?.rows ?? []).filter(
    ({ status }) => status === 'suspended' || status === 'deactivated',
  );
  const waiting = payouts?.total ?? payouts?.rows.length ?? 0;
  const unmapped = codes?.total ?? codes?.rows.length ?? 0;
  const items: Child[] = [
    waiting > 0 && (
      <li>
        <a class="list-main" href="/payments/payouts/waiting?waiting=approval">
          {tCount(waiting, '{count} payout awaiting approval', '{count} payouts awaiting approval')}
        </a>
      </li>
    ),
    ...failing.map(({ href, provider, reason }) => (
      <li>
        <a class="list-main" href={href}>
          {t('The {provider} account is failing', { provider: asText(provider) })}
        </a>
        <span class="list-note">
          <ApiText of={asText(reason)} />
        </span>
      </li>
    )),
    ...differing.map((crm) => (
      <li>
        <a class="list-main" href={`${pathOf(crmAccounts, crm)}/differences?resolved=false`}>
          {crmTitle(crm.crm)}:{' '}
          {tCount(Number(crm.open_differences), '{count} open difference', '{count} open differences')}
        </a>
      </li>
    )),
    ...stopped.map(({ id, url, status }) => (
      <li>
        <a class="list-main" href={`/webhooks/${asText(id)}`}>
          {asText(url)}
        </a>
        <span class="list-note muted">
          <Badge of={asText(status)} /> {t('This webhook delivers nothing. See why.')}
        </span>
      </li>
    )),
    unmapped > 0 && (
      <li>
        <a class="list-main" href="/gamification/missions">
          {tCount(unmapped, '{count} activity code has no mission', '{count} activity codes have no mission')}
        </a>
        <span class="list-note muted">
          {t('Activities with these codes earn nothing until you map them.')}
        </span>
      </li>
    ),
  ].filter(Boolean);
  return items.length > 0 ? (
    <ul class="list">{items}</ul>
  ) : (
    <Empty title={t('Nothing waits for you')}>
      {t(
        'Payouts to approve, failing accounts, differences with a CRM, stopped webhooks and codes without a mission appear here.',
      )}
    </Empty>
  );
};

const Traffic: FC<{ of: ReadRequests; view: View }> = ({ of: { rows, isComplete }, view }) => {
  const oldest = rows.at(-1);
  if (!oldest)
    return (
      <Empty title={t('No requests in this period')}>{t('Requests of the last 24 hours appear here.')}</Empty>
    );
  const end = Math.ceil(view.now.getTime() / HOUR_MS) * HOUR_MS;
  const bars = Array.from({ length: HOURS }, (_, index) => {
    const begin = end - (HOURS - index) * HOUR_MS;
    const within = rows.filter((row) => Math.floor((Date.parse(asText(row.at)) - begin) / HOUR_MS) === 0);
    const parts: [number, number, number] = [
      sum(within, (status) => status < FIRST_FAILURE),
      sum(within, (status) => status >= FIRST_FAILURE && status < FIRST_SERVER_ERROR),
      sum(within, (status) => status >= FIRST_SERVER_ERROR),
    ];
    const [good, refused, broken] = parts.map((count) => number(count));
    const time = moment(new Date(begin));
    return {
      label: t('{time}: {good} successful, {refused} client errors, {broken} server errors', {
        time,
        good: good ?? '',
        refused: refused ?? '',
        broken: broken ?? '',
      }),
      parts,
    };
  });
  return (
    <>
      <Bars
        label={t('Requests of the last 24 hours')}
        ticks={['−24 h', '−18 h', '−12 h', '−6 h', t('now')]}
        of={bars}
      />
      {!isComplete && (
        <p class="panel-text muted">
          {t('The latest {count} requests, since {time}. Older ones are added while this page is open.', {
            count: number(rows.length),
            time: moment(new Date(asText(oldest.at))),
          })}
        </p>
      )}
    </>
  );
};

const sum = (rows: readonly Json[], counts: (status: number) => boolean): number =>
  rows
    .filter(({ status }) => counts(Number(status)))
    .reduce((total, { requests }) => total + (asNumber(requests) ?? 1), 0);
