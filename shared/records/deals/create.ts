import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { givenBy, newExternalIds, writeNamed } from '../external-ids.ts';
import { DEFAULT_PRIORITY } from './priorities.ts';
import { type DealRecord, insertDeal } from './queries.ts';
import { DEFAULT_CURRENCY, type NewDeal, newDeal } from './schema.ts';

export const columns = [...columnsOf(newDeal, 'stage_id', 'stage', 'external_id'), 'external_ids'];

/** What is absent in a body, as it is stored. */
export const withDefaults = <D extends Omit<NewDeal, 'external_id'>>(deal: D) => ({
  ...deal,
  currency: deal.currency ?? DEFAULT_CURRENCY,
  priority: deal.priority ?? DEFAULT_PRIORITY,
  products: deal.products ?? [],
  custom_fields: deal.custom_fields ?? {},
  tags: deal.tags ?? [],
});

/**
 * In the first stage when none is said. Throws `conflict` for an external id that is taken, `unprocessable` for a stage, owner or lead that is
 * not there.
 */
export async function createDeal(
  context: Context,
  { external_id: externalId, ...input }: NewDeal,
): Promise<DealRecord> {
  const given = givenBy(context, externalId);
  const deal = { ...withDefaults(input), ...newExternalIds(given) };
  const rows = await withDomainErrors(
    writeNamed(context, 'deals', given, (sql) => insertDeal(sql, context.tenantId, columns, deal)),
  );
  return oneRow(rows).record;
}
