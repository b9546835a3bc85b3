// The profile of the person, and the page that each access begins with.
import { asJson, asText, asTexts } from '../../api/json.ts';
import { t, tName } from '../../kit/language.ts';
import { Facts, Panel } from '../../kit/small.tsx';
import { labelOf } from '../../resources/labels.ts';
import { profile } from '../../resources/own.ts';
import { scopeMeaning } from '../../resources/scopes.ts';
import type { Page } from '../../view.ts';
import { overview } from '../overview.tsx';
import { standings } from '../standings.tsx';
import { ActLinks } from '../workspace.tsx';
import { financePage } from './finance.tsx';
import { ownPoints } from './points.tsx';

export const ownProfile: Page = async (view) => {
  const { record: me } = await view.api.one('/v1/me');
  const fact = (name: string): [string, string] => [labelOf({ name }), asText(me[name])];
  const team = asText(asJson(me.team).name);
  const scopes = asTexts(me.scopes).map((scope) => scopeMeaning(scope) || scope);
  return {
    title: t('Profile'),
    lead: t('What others see of you, and what you can change.'),
    actions: (
      <>
        <a class="button quiet" href="/sign-in/password?next=/me/profile">
          {t('Change password')}
        </a>
        <ActLinks resource={profile} view={view} />
      </>
    ),
    body: (
      <Panel>
        <Facts
          of={[
            ...['name', 'email', 'phone', 'avatar_url'].map(fact),
            [t('Role'), tName(asText(me.role))],
            [t('Team'), team],
            [t('Hide me in the standings'), t(me.standings_opt_out === true ? 'yes' : 'no')],
            [t('Your access'), scopes.join(', ')],
          ]}
        />
      </Panel>
    ),
  };
};

/** Sellers see their points, managers their team, finance the payments that wait, everyone else what needs attention. */
export const startPage: Page = async (view) => {
  if (view.can('read:audit')) return overview(view);
  if (view.can('manage:payments') && view.can('read:payments')) return financePage(view);
  if (!view.can('read:users')) return ownPoints(view);
  const { ownTeamId = '' } = view.workspace;
  return standings({ ...view, query: (name) => view.query(name) || (name === 'team_id' ? ownTeamId : '') });
};
