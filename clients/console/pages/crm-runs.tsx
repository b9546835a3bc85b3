// The progress of a run of a CRM, what a preview lists, and differences.
import { runPhases } from '../../../shared/connectors/run-phases.ts';
import { asNumber, asText, type Json } from '../api/json.ts';
import { ApiText } from '../kit/api-words.tsx';
import { number } from '../kit/format.ts';
import { t, tName } from '../kit/language.ts';
import { Badge, Facts, Panel } from '../kit/small.tsx';
import { Moment } from '../kit/value.tsx';
import { CRMS_API } from '../resources/crm-forms.ts';
import { crmDifferences, crmPreview, crmRuns, isOpen, PROGRESS_POLL_MS } from '../resources/crm-runs.ts';
import { capitalized, labelOf } from '../resources/labels.ts';
import { filled } from '../resources/resource.ts';
import type { Page, View } from '../view.ts';
import { RecordAct } from './detail.tsx';
import { listPage } from './list.tsx';

const accountPath = (view: View): string => `/crm/${encodeURIComponent(view.param('account'))}`;

async function readRun(view: View, id: string) {
  const account = encodeURIComponent(view.param('account'));
  return await view.api.find(`${CRMS_API}/${account}/runs/${encodeURIComponent(id)}`);
}

/** Counts of what an import did; of a preview: would do. */
const counted = (isPreview: boolean) =>
  [
    ['created', isPreview ? 'Would be created' : 'Created records'],
    ['updated', isPreview ? 'Would be updated' : 'Updated records'],
    ['linked', 'Already here'],
    ['unchanged', 'Unchanged'],
    ['skipped', isPreview ? 'Would be skipped' : 'Skipped'],
    ['failed', 'Failed records'],
  ] as const;

function Progress({ run }: { run: Json }) {
  const [status, error] = [asText(run.status), asText(run.error)];
  const isRunning = isOpen(run);
  const phases: readonly string[] = runPhases;
  const place = phases.indexOf(asText(run.phase));
  return (
    <Panel title={t('Progress')} live="progress">
      {error && (
        <p class="panel-text fault">
          <ApiText of={error} />
        </p>
      )}
      {isRunning && (
        <p class="panel-text">
          <progress class="progress" max={runPhases.length - 1} value={place} aria-label={t('Progress')} />
        </p>
      )}
      <Facts
        of={[
          [labelOf({ name: 'status' }), <Badge of={status} />],
          [t('Now reads'), isRunning && tName(asText(run.phase))],
          [t('Records read'), number(asNumber(run.read) ?? 0)],
          ...counted(run.kind === 'preview').map(([name, label]): [string, string] => {
            const count = asNumber(run[name]) ?? 0;
            return [t(label), count > 0 || name === 'created' ? number(count) : ''];
          }),
          [
            labelOf({ name: 'waiting_until' }),
            run.waiting_until !== null && <Moment at={run.waiting_until} />,
          ],
          [t('Started'), run.started_at !== null && <Moment at={run.started_at} />],
          [t('Finished'), run.finished_at !== null && <Moment at={run.finished_at} />],
        ]}
      />
    </Panel>
  );
}

function actionsOf(view: View, run: Json, etag: string | undefined) {
  const isPreviewed = run.kind === 'preview' && run.status === 'done';
  return (
    <span class="cell-acts" data-live="acts" id="live-acts">
      {(crmRuns.recordActs ?? [])
        .filter(({ scope, when }) => view.can(scope) && (when?.(run, view) ?? true))
        .map((act) => (
          <RecordAct
            act={act}
            path={`${accountPath(view)}/runs/${asText(run.id)}/${act.name}`}
            view={view}
            etag={etag}
          />
        ))}
      {isPreviewed && (
        <a class="button quiet" href={`${accountPath(view)}/import`}>
          {t('Import')}
        </a>
      )}
      {run.kind === 'import' && run.status === 'done' && (
        <a class="button quiet" href={`${accountPath(view)}/differences?resolved=false`}>
          {t('Open differences')}
        </a>
      )}
    </span>
  );
}

const pollOf = (run: Json) => ({ pollMs: isOpen(run) ? PROGRESS_POLL_MS : undefined });

export const crmRunPage: Page = async (view) => {
  const found = await readRun(view, view.param('id'));
  if (!found) return undefined;
  const { record, etag } = found;
  return {
    title: capitalized(tName(asText(record.kind))),
    lead: <a href={accountPath(view)}>{t('CRM account')}</a>,
    actions: actionsOf(view, record, etag),
    body: <Progress run={record} />,
    ...pollOf(record),
  };
};

export const crmDifferencesPage: Page = async (view) => {
  const resource = {
    ...crmDifferences,
    path: filled(crmDifferences.path, view.param),
    api: filled(crmDifferences.api, view.param),
  };
  return {
    ...(await listPage(resource, view)),
    lead: (
      <>
        <a href={accountPath(view)}>{t('CRM account')}</a>
        <br />
        {t(resource.lead)}
      </>
    ),
  };
};

export const crmPreviewPage: Page = async (view) => {
  const found = await readRun(view, view.param('run'));
  if (!found) return undefined;
  const { record, etag } = found;
  const resource = {
    ...crmPreview,
    path: filled(crmPreview.path, view.param),
    api: filled(crmPreview.api, view.param),
  };
  const page = await listPage(resource, view, undefined, <Progress run={record} />);
  return {
    ...page,
    ...pollOf(record),
    lead: <a href={accountPath(view)}>{t('CRM account')}</a>,
    actions: (
      <>
        {page.actions}
        {actionsOf(view, record, etag)}
      </>
    ),
  };
};
