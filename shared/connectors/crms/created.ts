// Finds records in the CRM that an earlier attempt created although its response was lost.
import type { CrmConnection, CrmValues, WritableKind } from './crm.ts';

/** How far our clock may be ahead of the CRM's. */
const CLOCK_TOLERANCE_MS = 5000;
const CREATED_WITHIN_MS = 60_000;

/**
 * Ids of records that `create` with these values may have created: leads by address, deals by name, value and the minute after `since`, the
 * time of the attempt by our clock.
 */
export async function findCreated<K extends WritableKind>(
  connection: CrmConnection,
  kind: K,
  values: Partial<CrmValues[K]>,
  since: string,
): Promise<string[]> {
  if (kind === 'lead') {
    const { email }: Partial<CrmValues['lead']> = values;
    const address = email?.trim().toLowerCase();
    return address ? await connection.findLeads(address) : [];
  }
  const { name, value }: Partial<CrmValues['deal']> = values;
  const [from = '', until = ''] = [-CLOCK_TOLERANCE_MS, CREATED_WITHIN_MS].map((ms) =>
    new Date(Date.parse(since) + ms).toISOString(),
  );
  const wanted = name?.trim();
  if (!wanted) return [];
  const deals = await connection.findDeals({ name: wanted, from, until });
  return deals
    .filter((deal) => deal.name === wanted && (deal.value ?? 0) === (value ?? 0))
    .map(({ id }) => id);
}
