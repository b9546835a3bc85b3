// The foot of the navigation in the local stack: the workspace to look at.
import type { FC } from 'hono/jsx';
import { t } from '../../clients/console/kit/language.ts';
import type { Tenant } from './view.ts';

interface FootProps {
  url: string;
  path: string;
  csrf: string;
  tenant: Tenant;
  tenants: readonly Tenant[];
}

export const Foot: FC<FootProps> = ({ url, path, csrf, tenant, tenants }) => (
  <>
    {tenants.length < 2 ? (
      <p class="tenant">
        <span class="muted">{t('Tenant')}</span> {tenant.name}
      </p>
    ) : (
      <form class="tenant" method="post" action="/console/tenant" data-filters>
        <label>
          <span class="muted">{t('Tenant')}</span>
          <select name="tenant">
            {tenants.map(({ id, name }) => (
              <option value={id} selected={id === tenant.id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <input type="hidden" name="path" value={path} />
        <input type="hidden" name="_csrf" value={csrf} />
        <button type="submit" class="button quiet">
          {t('Show')}
        </button>
      </form>
    )}
    <p class="muted small">{t('Local stack, {address}', { address: url.replace(/^https?:\/\//, '') })}</p>
  </>
);
