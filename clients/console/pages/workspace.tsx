// Settings and plan, and export and erasure of a person's data.
import type { FC } from 'hono/jsx';
import { asJson, asNumber, asText, type Json } from '../api/json.ts';
import { number } from '../kit/format.ts';
import { t, tName } from '../kit/language.ts';
import { Facts, Panel, Progress } from '../kit/small.tsx';
import { persons as personActs, settings as settingsActs } from '../resources/administration.ts';
import { labelOf } from '../resources/labels.ts';
import { type Act, type Resource, textOf } from '../resources/resource.ts';
import type { Page, View } from '../view.ts';

/** Links to the actions of a resource that the credentials permit. */
export function ActLinks({ resource, view }: { resource: Resource; view: View }) {
  return (
    <>
      {(resource.acts ?? [])
        .filter(({ scope }) => view.can(scope))
        .map(({ name, label, danger }) => (
          <a class={`button ${danger ? 'danger' : 'quiet'}`} href={`${resource.path}/${name}`}>
            {t(label)}
          </a>
        ))}
    </>
  );
}

export const settings: Page = async (view) => {
  const [{ record }, { record: plan }] = await Promise.all([
    view.api.one('/v1/admin/settings'),
    view.api.one('/v1/admin/plan'),
  ]);
  const fact = (name: string): [string, string] => [labelOf({ name }), asText(record[name])];
  const members = ['name', 'slug', 'time_zone', 'language', 'owner_email', 'nfse_cancellation_hours', 'id'];
  return {
    title: t('Settings'),
    lead: t('Settings and plan of the workspace.'),
    actions: <ActLinks resource={settingsActs} view={view} />,
    body: (
      <>
        <Panel title={t('Workspace')}>
          <Facts
            of={[
              ...members.map(fact),
              [labelOf({ name: 'environment' }), tName(asText(record.environment))],
              ...['sign_in', 'require_mfa'].map((name): [string, string] => [
                labelOf({ name }),
                t(record[name] === true ? 'yes' : 'no'),
              ]),
            ]}
          />
        </Panel>
        <Panel title={t('Plan: {name}', { name: tName(asText(plan.name)) })}>
          <PlanUse plan={plan} />
        </Panel>
      </>
    ),
  };
};

export function PlanUse({ plan }: { plan: Json }) {
  const members = ['users', 'webhooks', 'invitation_mails'];
  return (
    <>
      <ul class="plan">
        {members.map((name) => {
          const { used, max } = asJson(plan[name]);
          const [count, limit] = [asNumber(used) ?? 0, asNumber(max)];
          return (
            <li>
              <span>{labelOf({ name })}</span>
              {limit !== undefined && <Progress value={count} of={limit} label={labelOf({ name })} />}
              <span class="muted">
                {limit === undefined
                  ? number(count)
                  : t('{used} of {max}', { used: number(count), max: number(limit) })}
              </span>
            </li>
          );
        })}
      </ul>
      <p class="panel-text muted">
        {t('Requests per minute')}: {number(asNumber(plan.requests_per_minute) ?? 0)}
      </p>
    </>
  );
}

const PersonAct: FC<{ act: Act }> = ({ act }) => {
  const text = textOf(act, {});
  return (
    <Panel title={t(act.label)}>
      {text && <p class="panel-text">{t(text)}</p>}
      <p class="panel-text">
        <a class={`button ${act.danger ? 'danger' : 'primary'}`} href={`/persons/${act.name}`}>
          {t(act.label)}
        </a>
      </p>
    </Panel>
  );
};

export const persons: Page = async (_view) => ({
  title: t('Persons'),
  lead: t("Export or erase a person's data."),
  body: (
    <div class="columns">
      {(personActs.acts ?? []).map((act) => (
        <PersonAct act={act} />
      ))}
    </div>
  ),
});
