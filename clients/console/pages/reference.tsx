// Links to the API documentation of this deployment.
import { t } from '../kit/language.ts';
import { Panel } from '../kit/small.tsx';
import type { Page } from '../view.ts';

export const reference: Page = async (view) => {
  const documents = [
    ['v1', t('Records and administration')],
    ['payments', t('Payments')],
    ['default-integration', t('Activity sync')],
    ['oauth', t('Access tokens')],
  ] as const;
  return {
    title: t('API'),
    lead: t('You can also do everything on these pages through the API.'),
    body: (
      <Panel title={t('OpenAPI documents of this deployment')}>
        <ul class="list">
          {documents.map(([name, title]) => (
            <li>
              <a class="list-main" href={`${view.functionsUrl}/${name}/openapi.json`}>
                {title}
              </a>
              <span class="list-note">
                <code>/functions/v1/{name}</code>
              </span>
            </li>
          ))}
        </ul>
      </Panel>
    ),
  };
};
