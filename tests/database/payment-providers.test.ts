// The rows of providers and of default routes are those of the definitions in the code.
import { expect, test } from 'vitest';
import { hasDueTerms, providerNames, providers } from '../../shared/payments/provider-registry/registry.ts';
import { connectDatabase } from '../support/database.ts';

const sql = connectDatabase();

test('private.payment_providers has every provider, with the kinds of its default routes', async () => {
  const rows = await sql`select name, kinds, has_due_terms from private.payment_providers`;
  expect(rows.map(({ name }) => name).sort()).toEqual([...providerNames].sort());
  for (const { name, kinds, has_due_terms: dueTerms } of rows) {
    expect(dueTerms).toBe(hasDueTerms(name));
    const routes = providers.find((provider) => provider.name === name)?.routes;
    if (routes) expect([...kinds].sort()).toEqual([...new Set(routes.map(({ kind }) => kind))].sort());
  }
});

test('default routes are those of the definitions', async () => {
  const rows = await sql`
    select provider, kind, region, currency, method, preference, min_amount::int, max_amount::int
    from public.provider_routes where tenant_id is null`;
  const defined = providers.flatMap(({ name, routes }) =>
    routes.map(({ minAmount, maxAmount, ...route }) => ({
      ...{ provider: name, ...route },
      ...{ min_amount: minAmount, max_amount: maxAmount },
    })),
  );
  const sorted = (all: readonly object[]) =>
    all.map((one) => JSON.stringify(Object.entries(one).sort())).sort();
  expect(sorted([...rows])).toEqual(sorted(defined));
});
