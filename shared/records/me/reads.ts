// Reads what persons may read of themselves: their record, points, badges, challenges, missions, leads and deals.
import { type Context, personOf } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { ApiError, type ErrorDetail, insufficientScope } from '../../platform/errors.ts';
import type { Query } from '../../platform/query.ts';
import { type DealRecord, selectDeal } from '../deals/queries.ts';
import { dealList } from '../deals/reads.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { pointEntryList } from '../gamification/reads.ts';
import { type LeadRecord, type LeadWithHistory, selectLead } from '../leads/queries.ts';
import { leadList } from '../leads/reads.ts';
import { type List, type ListQuery, type ListResult, readList, readPageNumbers } from '../list.ts';
import {
  checkOwnDeal,
  checkOwnLead,
  type MeRecord,
  type OwnPointEntryRecord,
  ownPointEntryRecord,
  type Page,
  type ProgressList,
  selectMe,
  selectProgress,
} from './queries.ts';

/** The user id of the person who sent the request. */
export function userIdOf({ actor }: Pick<Context, 'actor'>): string {
  const userId = personOf(actor);
  if (userId === null) throw insufficientScope('token', ['self']);
  return userId;
}

/** Throws `not_found`. */
export async function getMe(context: Context): Promise<MeRecord> {
  const rows = await withDomainErrors(context.read((sql) => selectMe(sql, userIdOf(context))));
  return { ...oneRow(rows).record, scopes: context.actor.scopes };
}

/** Point entries with what caused them, for this person. */
export const ownPointList = (userId: string): List<OwnPointEntryRecord> => ({
  table: pointEntryList.table,
  idType: 'bigint',
  sorts: pointEntryList.sorts,
  record: (sql) => ownPointEntryRecord(sql, userId),
});

/** A page of the person's point entries. */
export function listOwnPoints(context: Context, query: ListQuery): Promise<ListResult<OwnPointEntryRecord>> {
  const userId = userIdOf(context);
  return readList(context, ownPointList(userId), query, [{ op: 'of_user', value: userId }]);
}

/** Parses `page` and `per_page` of a list with a fixed order. Throws `validation`. */
export function parsePage(query: Query, defaultPerPage: number): Page {
  const faults: ErrorDetail[] = [];
  const page = readPageNumbers(
    query.take(['page', 'per_page']),
    defaultPerPage,
    (field, message) => void faults.push({ field, message }),
  );
  if (faults.length > 0) throw new ApiError('validation', 'Fix these query parameters.', { details: faults });
  return page;
}

/** A page of a list with the person's progress. */
export async function listProgress<L extends ProgressList>(context: Context, list: L, page: Page) {
  const rows = await context.read((sql) => selectProgress(sql, list, userIdOf(context), page));
  const { records, total } = oneRow(rows);
  return { records, total: Number(total), ...page };
}

/** A list without its filters by owner, which are ignored because the owner is the person. */
function withoutFilters<R extends object>(list: List<R>, names: readonly string[]): List<R> {
  const filters = Object.entries(list.filters ?? {}).filter(([name]) => !names.includes(name));
  return { ...list, filters: Object.fromEntries(filters) };
}

export const ownLeadList = withoutFilters<LeadRecord>(leadList, ['owner_id']);
/** Deals have no team of their own: `team_id` is that of the owner. */
export const ownDealList = withoutFilters<DealRecord>(dealList, ['owner_id', 'team_id']);

/** A page of the person's leads or deals. */
export const listOwnRecords = <R extends object>(
  context: Context,
  list: List<R>,
  query: ListQuery,
): Promise<ListResult<R>> =>
  readList(context, list, query, [{ op: 'eq', column: 'owner_id', value: userIdOf(context) }]);

/** The person's lead with its newest activities, without those of other people's deals. Throws `not_found`. */
export async function getOwnLead(context: Context, leadId: string): Promise<LeadWithHistory> {
  const { tenantId } = context;
  const userId = userIdOf(context);
  const { lead } = await withDomainErrors(
    context.read((sql) => ({
      own: checkOwnLead(sql, tenantId, userId, leadId),
      lead: selectLead(sql, tenantId, leadId, sql`d.owner_id = ${userId}`),
    })),
  );
  return oneRow(lead).record;
}

/** Throws `not_found`. */
export async function getOwnDeal(context: Context, dealId: string): Promise<DealRecord> {
  const { tenantId } = context;
  const { deal } = await withDomainErrors(
    context.read((sql) => ({
      own: checkOwnDeal(sql, tenantId, userIdOf(context), dealId),
      deal: selectDeal(sql, tenantId, dealId),
    })),
  );
  return oneRow(deal).record;
}
