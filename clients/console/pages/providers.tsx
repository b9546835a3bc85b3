// Accounts at payment providers, with the rules that decide where orders go and who approves them.
import { accounts } from '../resources/payments.ts';
import type { Page } from '../view.ts';
import { SectionPanel } from './detail.tsx';
import { listPage } from './list.tsx';

export const providersPage: Page = async (view) => {
  const [rules, routes] = await Promise.all([
    view.api.rows('/v1/admin/payout-approval-rules'),
    view.api.rows('/v1/admin/provider-routes'),
  ]);
  return listPage(
    accounts,
    view,
    <>
      <SectionPanel
        section={{
          title: 'Approval rules',
          none: 'No rule: only payouts of people who may not manage payments wait for approval',
        }}
        columns={[{ name: 'currency' }, { name: 'above_amount', as: 'money' }]}
        rows={rules.rows}
      />
      <SectionPanel
        section={{ title: 'Routes', none: 'No routes' }}
        columns={[
          { name: 'kind', label: 'Kind', as: 'name' },
          { name: 'region', label: 'Region' },
          { name: 'currency' },
          { name: 'method', label: 'Payment method', as: 'name' },
          { name: 'providers', label: 'Providers' },
          { name: 'is_default', label: 'Default' },
        ]}
        rows={routes.rows}
      />
    </>,
  );
};
