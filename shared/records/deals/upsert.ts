import type { Context } from '../../platform/context.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { newExternalIds } from '../external-ids.ts';
import { foundId, isToBeMade, type Upsert, type Upserted, upsert } from '../upsert.ts';
import { columns as columnsOfNew, withDefaults } from './create.ts';
import { type DealRecord, insertDeal, updateDeal as updateRow } from './queries.ts';
import type { DealChange, NewDeal } from './schema.ts';
import { columns } from './update.ts';

/** Makes the deal that the caller calls so, or changes it. Throws what making and changing one do, and `precondition_failed`. */
export function upsertDeal(
  context: Context,
  asked: Upsert<NewDeal, DealChange>,
): Promise<Upserted<DealRecord>> {
  const { tenantId } = context;
  return withDomainErrors(
    upsert<NewDeal, DealChange, DealRecord>(context, {
      ...asked,
      source: 'deals',
      change: (sql, { external_id: _same, ...members }, given) =>
        updateRow(sql, tenantId, foundId(sql), columns, members, given),
      create(sql, { external_id: _same, ...members }, given) {
        const deal = { ...withDefaults(members), ...newExternalIds(given) };
        return insertDeal(sql, tenantId, columnsOfNew, deal, isToBeMade(sql));
      },
    }),
  );
}
