// Endpoints of .../external/{external_id}: GET returns the record with the caller's external id, PUT creates or updates it.

import { type Context, personOf } from '../../shared/platform/access/context.ts';
import type { Scope } from '../../shared/platform/access/scopes.ts';
import { invalid, valueOrApiError } from '../../shared/platform/errors.ts';
import { decodePercent } from '../../shared/platform/percent-encoding.ts';
import type { ExternalSource, RecordKey } from '../../shared/records/external-ids.ts';
import type { Upsert, Upserted } from '../../shared/records/upsert.ts';
import type { RecordTypes } from '../../shared/records/variants/variant.ts';
import type { Lists } from '../../shared/records/versions.ts';
import { recordsEndpoint } from './records-endpoint.ts';
import type { RecordsRequest } from './records-request.ts';

const externalIds = () => import('../../shared/records/external-ids.ts');

type Named = 'lead' | 'deal' | 'user';

/** How one kind of record with external ids is read and written. */
interface ExternalIdResource<R extends Named, P extends string, T extends RecordTypes[R], New, Change> {
  resource: R;
  base: P;
  source: ExternalSource;
  scopes: { read: readonly Scope[]; write: readonly Scope[] };
  get(): Promise<(context: Context, key: RecordKey) => Promise<T>>;
  /** Lists that the response includes with a single record. */
  listsOf?(request: RecordsRequest<string>, record: T): Lists;
  writes(): Promise<{
    create(request: RecordsRequest<string>): New;
    change(request: RecordsRequest<string>): Change;
    upsert(context: Context, request: Upsert<New, Change>): Promise<Upserted<RecordTypes[R]>>;
  }>;
}

export const externalEndpoints = <
  R extends Named,
  const P extends string,
  T extends RecordTypes[R],
  New,
  Change,
>(
  kind: ExternalIdResource<R, P, T, New, Change>,
) => ({
  get: recordsEndpoint({
    method: 'get',
    path: `${kind.base}/external/:external_id`,
    scopes: kind.scopes.read,
    body: 'none',
    resource: kind.resource,
    conditional: kind.resource,
    async handle(request) {
      const externalId = await externalIdOf(request);
      const get = await kind.get();
      return request.record(
        200,
        kind.resource,
        (context) => get(context, { externalId }),
        (record) => kind.listsOf?.(request, record) ?? {},
      );
    },
  }),
  put: recordsEndpoint({
    method: 'put',
    path: `${kind.base}/external/:external_id`,
    scopes: kind.scopes.write,
    body: 'required',
    resource: kind.resource,
    conditional: kind.resource,
    async handle(request) {
      const externalId = await externalIdOf(request);
      if (personOf(request.actor) !== null) throw (await externalIds()).externalIdOfPerson();
      checkSameExternalId(request.json, externalId, 'the external_id in the path');
      const { create, change, upsert } = await kind.writes();
      const bodies = {
        create: valueOrApiError(() => create(request)),
        change: valueOrApiError(() => change(request)),
      };
      const get = await kind.get();
      return request.recordAfterUpsert(
        kind.resource,
        (context, conditions) => upsert(context, { externalId, bodies, conditions }),
        (context) => get(context, { externalId }),
      );
    },
  }),
});

/** The external id in the path. Throws `validation`. */
async function externalIdOf({ params, rawPath }: RecordsRequest<string>): Promise<string> {
  // The router passes invalid sequences through unchanged.
  if (decodePercent(rawPath) === undefined) throw fault('must be percent-encoded UTF-8');
  const { externalIdText } = await externalIds();
  // `external_id` is the only parameter of these paths.
  const parsed = externalIdText.safeParse(Object.values<string>(params)[0]);
  if (parsed.success) return parsed.data;
  throw fault(parsed.error.issues[0]?.message ?? 'is malformed');
}

/** The body may omit the external id, but must not contain a different one. `mustBe` names the expected value. Throws `validation`. */
export function checkSameExternalId(
  { external_id: bodyExternalId }: Readonly<Record<string, unknown>>,
  externalId: string,
  mustBe: string,
): void {
  if (bodyExternalId !== undefined && bodyExternalId !== externalId) throw fault(`must equal ${mustBe}`);
}

const fault = (rule: string) => invalid('field', 'external_id', rule);
