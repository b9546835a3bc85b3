// Runs actions: shows their form, sends the request, and shows the result.
import { toJson } from '../../typescript/src/core/json.ts';
import { type ConflictError, PlacarError, PreconditionFailedError } from '../../typescript/src/errors.ts';
import { asJson, asText, type Json } from '../api/json.ts';
import type { Found } from '../api/page-api.ts';
import { apiText } from '../kit/api-words.tsx';
import { t } from '../kit/language.ts';
import { Code, Panel } from '../kit/small.tsx';
import { kindsOf } from '../kit/value.tsx';
import { labelOf } from '../resources/labels.ts';
import { type Act, filled, nameOf, pathOf, type Resource } from '../resources/resource.ts';
import type { PageContent, View } from '../view.ts';
import { Members, recordPath } from './detail.tsx';
import { failureOf } from './failure.tsx';
import { type FormState, formBody } from './form.tsx';
import { bodyOf, type Typed, typedOf } from './form-values.ts';

export interface ActContext {
  resource: Resource;
  act: Act;
  /** Whether the action belongs to a record. */
  ofRecord: boolean;
}

/** The result of a form. */
export type ActResult =
  | { kind: 'page'; status: number; content: PageContent }
  | { kind: 'done'; to: string; text: string; english: boolean }
  | { kind: 'file'; name: string; body: string };

const backOf = ({ resource, ofRecord }: ActContext, record: Json): string =>
  ofRecord ? pathOf(resource, record) : resource.path;

/** Initial values of a form: of the record to copy, or from the URL, for example from a link in a list. */
async function givenValues({ fields = [], copies }: Act, view: View): Promise<Json> {
  const copy = copies && view.query('copy');
  if (copy) return (await view.api.find(`${copies}/${encodeURIComponent(copy)}`))?.record ?? {};
  return Object.fromEntries(
    fields.map(({ name }) => [name, view.query(name)] as const).filter(([, value]) => value !== ''),
  );
}

/** The record in the URL of an action. */
async function recordAbout({ act: { about }, resource }: ActContext, view: View, typed: Typed = {}) {
  const value = about && (view.query(about) || asText(typed[about]));
  return value ? (await view.api.rows(resource.api, { [about]: value })).rows[0] : undefined;
}

async function pageOf(context: ActContext, view: View, state: FormState): Promise<PageContent> {
  const { act, resource, ofRecord } = context;
  const back = backOf(context, state.record);
  const about = ofRecord ? act.danger && state.record : await recordAbout(context, view, state.typed);
  return {
    title: ofRecord ? `${t(act.label)}: ${nameOf(resource, state.record)}` : t(act.label),
    lead: <a href={back}>{ofRecord ? nameOf(resource, state.record) : t(resource.title)}</a>,
    body: (
      <>
        {/* What cannot be undone is seen once more. */}
        {about && (
          <Members
            columns={resource.columns}
            record={about}
            directory={await view.directory(...kindsOf(resource.columns))}
          />
        )}
        {await formBody({ act, view, action: view.path, back, state })}
      </>
    ),
  };
}

/** The form of an action. Undefined if the record does not exist. */
export async function showAct(context: ActContext, view: View): Promise<PageContent | undefined> {
  const { current } = context.act;
  if (!context.ofRecord)
    return pageOf(
      context,
      view,
      current ? await view.api.one(current) : { record: await givenValues(context.act, view) },
    );
  const found = await findRecord(context, view);
  return found && pageOf(context, view, found);
}

/** The record of an action, with the part that it changes, whose version counts then. */
async function findRecord({ resource, act: { part } }: ActContext, view: View): Promise<Found | undefined> {
  const path = recordPath(resource, view.param('id'));
  const found = await view.api.find(path);
  if (!found || !part) return found;
  const { record, etag } = await view.api.one(path + part);
  return { record: { ...found.record, ...record }, etag };
}

const hidden = (form: FormData, name: string): string => asText(form.get(name));

/** Sends the request of a form. */
export async function runAct(
  context: ActContext,
  view: View,
  form: FormData,
  url: string,
): Promise<ActResult> {
  const { act, resource, ofRecord } = context;
  const typed = typedOf(form);
  const record = ofRecord ? { [resource.id ?? 'id']: view.param('id') } : {};
  const values = bodyOf(act.fields ?? [], typed, {
    isChange: act.method === 'PATCH',
    zone: view.workspace.timeZone,
  });
  const [etag, idempotencyKey] = [hidden(form, '_etag'), hidden(form, '_key')];
  try {
    const written = await view.api.write({
      method: act.method,
      target: filled(act.target(record, values), view.param),
      body: act.body ? act.body(values, record) : act.fields ? values : undefined,
      ifMatch: etag || undefined,
      idempotencyKey: act.method === 'POST' ? idempotencyKey || undefined : undefined,
    });
    if (act.download) {
      return { kind: 'file', name: act.download, body: toJson(written.record, 2) };
    }
    const secrets = (act.secrets ?? []).filter((name) => asText(written.record[name]) !== '');
    if (secrets.length > 0)
      return {
        kind: 'page',
        status: 200,
        content: secretPage(context, view, written.record, {
          secrets,
          to: targetPath(context, written.record, record),
        }),
      };
    return {
      kind: 'done',
      to:
        act.leadsTo?.(written.record) ??
        (act.goTo === 'list' ? resource.path : targetPath(context, written.record, record)),
      text: apiText(written.summary) ?? (written.summary || t(act.done)),
      english: written.summary !== '' && apiText(written.summary) === undefined,
    };
  } catch (error) {
    return refused(context, view, error, { typed, record, etag, idempotencyKey, url });
  }
}

/** The record's page, or the list for records without a page. */
function targetPath({ resource, ofRecord }: ActContext, written: Json, record: Json): string {
  if (resource.flat) return resource.path;
  if (ofRecord) return pathOf(resource, record);
  return asText(written[resource.id ?? 'id']) ? pathOf(resource, written) : resource.path;
}

/** Shows a secret once. It is not stored and not part of any URL. */
function secretPage(
  { act, resource }: ActContext,
  view: View,
  record: Json,
  { secrets, to }: { secrets: string[]; to: string },
): PageContent {
  const shown = secrets.map((name) =>
    name === act.addressOf
      ? { name, label: labelOf({ name: 'address' }), text: `${view.origin}${asText(record[name])}` }
      : { name, label: labelOf({ name }), text: asText(record[name]) },
  );
  return {
    title: t(act.label),
    lead: <a href={resource.path}>{t(resource.title)}</a>,
    body: (
      <Panel title={nameOf(resource, record)}>
        <p class="warning panel-text" role="status" tabindex={-1} data-focus>
          {t('This is shown only once. Copy it before you leave this page.')}{' '}
          {t(
            act.opens
              ? 'Open it within ten minutes, signed in to the CRM as an administrator.'
              : act.addressOf
                ? 'Open it on the screen that shows the board.'
                : 'Enter it in the system that will use it.',
          )}
        </p>
        {shown.map(({ name, label, text }) => (
          <>
            <h3 class="panel-text">{label}</h3>
            <Code label={label}>{text}</Code>
            {(name === act.opens || name === act.addressOf) && (
              <p class="panel-text">
                <a class="button quiet" href={text} target="_blank" rel="noreferrer">
                  {t('Open the link')}
                </a>
              </p>
            )}
          </>
        ))}
        <p class="panel-text">
          <a class="button primary" href={to}>
            {t('I have copied it')}
          </a>
        </p>
      </Panel>
    ),
  };
}

/** The deployment answered, and the form can be corrected. */
const NOTHING_DONE: ReadonlySet<number> = new Set([400, 409, 422]);

interface Attempt {
  typed: Typed;
  record: Json;
  etag: string;
  idempotencyKey: string;
  url: string;
}

async function refused(
  context: ActContext,
  view: View,
  error: unknown,
  { typed, record: id, etag, idempotencyKey, url }: Attempt,
): Promise<ActResult> {
  const failure = failureOf(error, url);
  if (!failure || !(error instanceof PlacarError)) throw error;
  const isChanged = error instanceof PreconditionFailedError;
  const current = isChanged ? asJson(error.current) : undefined;
  // Reads the record's name for the heading. The error is shown even if this read also fails.
  const found =
    context.ofRecord && !current ? await findRecord(context, view).catch(() => undefined) : undefined;
  const record = current ?? found?.record ?? id;
  const page = await pageOf(context, view, {
    record,
    typed,
    // The person has seen the other version, so the next attempt uses it.
    etag: (isChanged ? error.etag : undefined) ?? found?.etag ?? (etag || undefined),
    // Reuse the key after a failure that may have had an effect, so that the request is executed only once.
    ...(error.status !== undefined && error.status < 500 && error.status !== 429 ? {} : { idempotencyKey }),
    faults: error.fields,
    ...(current && { current }),
    refusal: isChanged ? (
      <p>{t('Someone else has changed this in the meantime. Compare, then save again.')}</p>
    ) : (
      <>
        <p>
          <strong>{NOTHING_DONE.has(failure.status) ? t('Nothing was changed') : failure.title}</strong>
        </p>
        <p>{failure.text}</p>
        <Existing resource={context.resource} error={error} />
      </>
    ),
  });
  return { kind: 'page', status: failure.status, content: page };
}

/** Links to the record that already has the name. */
function Existing({ resource, error }: { resource: Resource; error: PlacarError }) {
  const { existingId } = error as Partial<ConflictError>;
  return existingId ? (
    <a href={`${resource.path}/${encodeURIComponent(existingId)}`}>{t('Show the existing one')}</a>
  ) : null;
}
