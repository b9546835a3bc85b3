// An account at a CRM: its state, runs, mappings and settings.
import type { Child } from 'hono/jsx';
import { asJson, asNumber, asRows, asText, type Json } from '../api/json.ts';
import { withQuery } from '../api/page-api.ts';
import { ApiText } from '../kit/api-words.tsx';
import { number } from '../kit/format.ts';
import { t, tCount, tName } from '../kit/language.ts';
import { Badge, Code, Empty, Facts, None, Panel } from '../kit/small.tsx';
import { Table } from '../kit/table.tsx';
import { Moment, Value } from '../kit/value.tsx';
import { crmAccounts } from '../resources/crm.ts';
import { CRMS_API, connectAgainActs, crmForm, crmTitle, reconnectActs } from '../resources/crm-forms.ts';
import { typeName } from '../resources/crm-mappings.ts';
import { crmRuns, isOpen, PROGRESS_POLL_MS } from '../resources/crm-runs.ts';
import { labelOf } from '../resources/labels.ts';
import { pathOf } from '../resources/resource.ts';
import type { Page, View } from '../view.ts';
import { RecordAct, recordPath } from './detail.tsx';

const RUNS = 10;
/** Columns of runs that only their own page has. */
const DETAILS = ['linked', 'unchanged', 'started_at'];
const reconnecting = reconnectActs.map(({ name }) => name);
const connectingAgain = connectAgainActs.map(({ name }) => name);

export const crmPage: Page = async (view) => {
  const found = await view.api.find(recordPath(crmAccounts, view.param('id')));
  if (!found) return undefined;
  const { record, etag } = found;
  const api = `${CRMS_API}/${encodeURIComponent(asText(record.id))}`;
  const isByHand = record.webhook_state === 'by_hand' && record.status !== 'disconnected';
  const { webhooksByHand: byHand, callbackText } = crmForm(record.crm) ?? {};
  const isAuthorizing = record.status === 'authorizing' || record.status === 'failing';
  const [runs, stages, activities, setup] = await Promise.all([
    view.api.rows(`${api}/runs`, { per_page: RUNS }),
    view.api.one(`${api}/stages`),
    view.api.one(`${api}/activity-types`),
    isByHand ? view.api.one(`${api}/webhook-setup`) : undefined,
  ]);
  const acts = (...names: string[]) => <Acts of={names} record={record} view={view} etag={etag} />;
  return {
    title: crmTitle(record.crm),
    lead: <a href={crmAccounts.path}>{t(crmAccounts.title)}</a>,
    actions: (
      <span data-live="acts" id="live-acts">
        {acts(...(record.status === 'failing' ? reconnecting : []))}
        {acts('preview', 'import', 'authorize', 'pause', 'resume', ...connectingAgain)}
      </span>
    ),
    pollMs: record.status === 'connecting' || runs.rows.some(isOpen) ? PROGRESS_POLL_MS : undefined,
    body: (
      <>
        <State record={record} stages={asRows(stages.record.stages)} />
        <Panel title={t(crmRuns.title)} aside={acts('reconcile', 'compare')} live="runs">
          <Runs rows={runs.rows} />
        </Panel>
        <div class="columns">
          <Panel title={t('Stages')} aside={acts('stages')} live="stages">
            <Stages rows={asRows(stages.record.stages)} />
          </Panel>
          <Panel title={t('Activities')} aside={acts('activities')} live="activities">
            <Activities rows={asRows(activities.record.activity_types)} />
          </Panel>
        </div>
        <Panel title={t('Settings')} aside={acts('settings')}>
          <Settings of={asJson(record.settings)} stages={asRows(stages.record.stages)} />
        </Panel>
        <div data-live="setup" id="live-setup">
          {callbackText && isAuthorizing && (
            <Panel title={t('Authorization')}>
              <p class="panel-text">{t(callbackText)}</p>
              <Code label={t('Callback URL')}>
                {`${view.functionsUrl}/callbacks/crm/${asText(record.crm)}/${asText(record.id)}/authorized`}
              </Code>
            </Panel>
          )}
          {setup && byHand && (
            <Panel title={t('Webhooks')}>
              <p class="panel-text">{t(byHand.text)}</p>
              <Code label={byHand.file}>{asText(setup.record.text)}</Code>
            </Panel>
          )}
        </div>
        <p class="cell-acts" data-live="more-acts" id="live-more-acts">
          {acts(...(record.status === 'failing' ? [] : reconnecting), 'disconnect', 'forget')}
          {view.can('read:audit') && (
            <a href={withQuery('/changes', { subject: asText(record.id) })}>{t('Who changed this')}</a>
          )}
        </p>
      </>
    ),
  };
};

function Acts(props: { of: readonly string[]; record: Json; view: View; etag: string | undefined }) {
  const { of, record, view, etag } = props;
  const acts = (crmAccounts.recordActs ?? []).filter(
    ({ name, scope, when }) => of.includes(name) && view.can(scope) && (when?.(record, view) ?? true),
  );
  return (
    <span class="cell-acts">
      {acts.map((act) => (
        <RecordAct act={act} path={`${pathOf(crmAccounts, record)}/${act.name}`} view={view} etag={etag} />
      ))}
    </span>
  );
}

/** What to do next, in plain words. */
function nextStep(account: Json, unmapped: number): Child {
  const { status, reason, imported_at: imported, waiting_until: waiting } = account;
  switch (status) {
    case 'failing':
      return (
        <>
          {asText(reason) ? <ApiText of={asText(reason)} /> : t('The CRM rejects the credentials.')}{' '}
          {t('Correct it in the CRM, or replace the credentials. It is tried again every minute.')}
        </>
      );
    case 'authorizing':
      return t('An administrator of the CRM still has to agree. Use Authorize to create the link.');
    case 'connecting':
      return t('The credentials are being checked, and users and stages are read.');
    case 'paused':
      return t('Nothing is read or written. What the CRM reports meanwhile is kept for 30 days.');
    case 'disconnected':
      return t('Connect again to continue, or forget the account.');
    default:
      if (waiting !== null) return t('The CRM allows no more requests at the moment. It goes on by itself.');
      if (unmapped > 0)
        return tCount(
          unmapped,
          '{count} stage of the CRM is not mapped: its deals get the first stage. Map it.',
          '{count} stages of the CRM are not mapped: their deals get the first stage. Map them.',
        );
      return imported === null ? t('Nothing is imported yet. Preview the import, then import.') : undefined;
  }
}

const isUnmapped = ({ stage, closes, present }: Json): boolean =>
  stage === null && closes === null && present === true;

const State = ({ record, stages }: { record: Json; stages: readonly Json[] }) => {
  const next = nextStep(record, stages.filter(isUnmapped).length);
  const differences = asNumber(record.open_differences) ?? 0;
  const moment = (name: string): [string, Child] => [
    labelOf({ name }),
    record[name] !== null && <Moment at={record[name]} />,
  ];
  return (
    <Panel title={t('State')} live="state">
      {next !== undefined && <p class="panel-text warning">{next}</p>}
      <Facts
        of={[
          [labelOf({ name: 'status' }), <Badge of={asText(record.status)} />],
          [
            t('Open differences'),
            <a href={`${pathOf(crmAccounts, record)}/differences?resolved=false`}>{number(differences)}</a>,
          ],
          [t('Webhook'), tName(asText(record.webhook_state))],
          moment('last_event_at'),
          [
            t('Rejected events'),
            asNumber(record.rejected_events) ? number(Number(record.rejected_events)) : '',
          ],
          moment('imported_at'),
          moment('last_reconciled_at'),
          moment('waiting_until'),
          moment('created_at'),
          moment('disconnected_at'),
        ]}
      />
    </Panel>
  );
};

const Runs = ({ rows }: { rows: readonly Json[] }) =>
  rows.length === 0 ? (
    <Empty title={t('No runs yet')} />
  ) : (
    <Table
      label={t(crmRuns.title)}
      columns={crmRuns.columns
        .filter(({ name }) => !DETAILS.includes(name))
        .map((column) => ({
          name: labelOf(column),
          cell: (row: Json) => <Value column={column} row={row} />,
        }))}
      rows={rows}
      keyOf={({ id }) => asText(id)}
    />
  );

const Stages = ({ rows }: { rows: readonly Json[] }) =>
  rows.length === 0 ? (
    <Empty title={t('No stages yet')} />
  ) : (
    <Table
      label={t('Stages')}
      columns={[
        { name: t('In the CRM'), cell: ({ name }: Json) => asText(name) },
        { name: t('Pipeline'), cell: ({ pipeline }: Json) => asText(asJson(pipeline).name) },
        {
          name: t('Stage here'),
          cell: (row: Json) =>
            row.stage !== null ? (
              asText(asJson(row.stage).name)
            ) : isUnmapped(row) ? (
              <span class="badge warn">{t('none')}</span>
            ) : (
              <None />
            ),
        },
      ]}
      rows={rows.filter(({ present }) => present === true)}
      keyOf={({ crm_id: id }) => asText(id)}
    />
  );

const Activities = ({ rows }: { rows: readonly Json[] }) =>
  rows.length === 0 ? (
    <Empty title={t('No types of activity yet')} />
  ) : (
    <Table
      label={t('Activities')}
      columns={[
        { name: t('In the CRM'), cell: ({ crm_type: type }: Json) => typeName(asText(type)) },
        { name: t('Key'), cell: ({ crm_type: type }: Json) => <code>{asText(type)}</code> },
        {
          name: t('Code'),
          cell: ({ code }: Json) =>
            code === null ? <span class="muted">{t('Not read')}</span> : <code>{asText(code)}</code>,
        },
        { name: t('Mission'), cell: ({ mission }: Json) => asText(asJson(mission).name) || <None /> },
      ]}
      rows={rows}
      keyOf={({ crm_type: type }) => asText(type)}
    />
  );

/** Settings in words; those without a value have their defaults. */
function Settings({ of, stages }: { of: Json; stages: readonly Json[] }) {
  const names = new Map(
    stages.map(({ pipeline }) => [asText(asJson(pipeline).id), asText(asJson(pipeline).name)]),
  );
  const pipelines = Array.isArray(of.pipelines)
    ? of.pipelines.map((id) => names.get(asText(id)) ?? asText(id)).join(', ')
    : t('all');
  const objects = Array.isArray(of.objects) ? of.objects : ['leads', 'deals', 'activities'];
  const fields = ['lead', 'deal'].flatMap((record) =>
    Object.entries(asJson(asJson(of.fields)[record])).map(([ours, theirs]) => (
      <li>
        {tName(record)}: <code>{ours}</code> ← <code>{asText(theirs)}</code>
      </li>
    )),
  );
  return (
    <Facts
      of={[
        [t('Changes go'), t(of.direction === 'both' ? 'In both directions' : 'From the CRM to Placar')],
        [
          t('If both sides changed a field'),
          t(
            of.conflict === 'placar'
              ? 'The value here'
              : of.conflict === 'latest'
                ? 'The later value'
                : 'The value of the CRM',
          ),
        ],
        [
          t('If a record is deleted in the CRM'),
          t(of.on_delete === 'delete' ? 'Delete it here' : 'Keep it here'),
        ],
        [t('Pipelines'), pipelines],
        [t('What is read'), objects.map((one) => tName(asText(one))).join(', ')],
        [t('Create new leads and deals in the CRM too'), t(of.create_out === true ? 'yes' : 'no')],
        [t('Fields'), fields.length > 0 && <ul class="plain">{fields}</ul>],
      ]}
    />
  );
}
