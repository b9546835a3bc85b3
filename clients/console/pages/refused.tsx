// The page shown when the credentials do not permit the requested one.
import { KEY, KEY_WRITES, personsScopeName, scopeName } from '../api/access.ts';
import { t } from '../kit/language.ts';
import { Empty, Panel } from '../kit/small.tsx';
import type { PageContent, View } from '../view.ts';

export function refusedPage(view: View, scopes: readonly string[]): PageContent {
  const section = view.frame.navigation
    .flatMap((one) => [...(one.tabs ?? []), one])
    .find(({ path }) => path === view.path);
  const { isPerson } = view;
  const named = isPerson
    ? [...new Set(scopes.map(personsScopeName))]
    : scopes.filter((scope) => scope !== KEY && scope !== KEY_WRITES).map(scopeName);
  return {
    title: section ? t(section.name) : t('No access'),
    body: (
      <Panel>
        <Empty
          title={t(
            isPerson ? 'Your access does not open this page' : 'Your credentials do not open this page',
          )}
        >
          {named.length > 0 ? (
            <>
              {t(
                isPerson
                  ? 'Ask an admin of the workspace for access with this scope:'
                  : 'This page needs a client with this scope:',
              )}{' '}
              {named.map((scope, index) => (
                <>
                  {index > 0 && ` ${t('or')} `}
                  <code>{scope}</code>
                </>
              ))}
            </>
          ) : (
            t('This page needs an API key. Restart the console with PLACAR_API_KEY.')
          )}
        </Empty>
      </Panel>
    ),
  };
}
