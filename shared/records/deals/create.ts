import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { DEFAULT_PRIORITY } from './priorities.ts';
import { type DealRecord, insertDeal } from './queries.ts';
import { DEFAULT_CURRENCY, type NewDeal, newDeal } from './schema.ts';

const columns = columnsOf(newDeal, 'stage_id', 'stage');

/** In the first stage when none is said. Throws `unprocessable` for a stage, owner or lead that is not there. */
export async function createDeal({ write, tenantId }: Context, input: NewDeal): Promise<DealRecord> {
  const deal = {
    ...input,
    currency: input.currency ?? DEFAULT_CURRENCY,
    priority: input.priority ?? DEFAULT_PRIORITY,
    products: input.products ?? [],
    custom_fields: input.custom_fields ?? {},
    tags: input.tags ?? [],
  };
  const [rows] = await withDomainErrors(write((sql) => [insertDeal(sql, tenantId, columns, deal)]));
  return oneRow(rows).record;
}
