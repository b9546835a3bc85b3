// Records by what the caller calls them: GET shows one, PUT makes or changes it.

import type { Context } from '../../shared/platform/access/context.ts';
import type { Scope } from '../../shared/platform/access/scopes.ts';
import { ApiError, valueOrApiError } from '../../shared/platform/errors.ts';
import type { ExternalSource, RecordKey } from '../../shared/records/external-ids.ts';
import type { Upsert, Upserted } from '../../shared/records/upsert.ts';
import type { RecordTypes } from '../../shared/records/variants/variant.ts';
import type { Lists } from './conditional.ts';
import { recordsEndpoint } from './records-endpoint.ts';
import type { RecordsRequest } from './records-request.ts';

type Named = 'lead' | 'deal' | 'user';

/** What each kind of record that can be called by an external id brings along. */
export interface NamedKind<R extends Named, P extends string, T extends RecordTypes[R], New, Change> {
  resource: R;
  base: P;
  source: ExternalSource;
  scopes: { read: readonly Scope[]; write: readonly Scope[] };
  get(): Promise<(context: Context, key: RecordKey) => Promise<T>>;
  /** Lists that are shown with one that is read. */
  listsOf?(request: RecordsRequest<string>, record: T): Lists;
  writes(): Promise<{
    create(request: RecordsRequest<string>): New;
    change(request: RecordsRequest<string>): Change;
    upsert(context: Context, asked: Upsert<New, Change>): Promise<Upserted<RecordTypes[R]>>;
  }>;
}

export const externalEndpoints = <
  R extends Named,
  const P extends string,
  T extends RecordTypes[R],
  New,
  Change,
>(
  kind: NamedKind<R, P, T, New, Change>,
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
      checkSameExternalId(request.json, externalId, 'the one in the path');
      const { create, change, upsert } = await kind.writes();
      const bodies = {
        create: valueOrApiError(() => create(request)),
        change: valueOrApiError(() => change(request)),
      };
      const get = await kind.get();
      return request.upserted(
        kind.resource,
        (context, conditions) => upsert(context, { externalId, bodies, conditions }),
        (context) => get(context, { externalId }),
      );
    },
  }),
});

/** What the path says the record is called. Throws 400. */
async function externalIdOf({ params, rawPath }: RecordsRequest<string>): Promise<string> {
  if (!isEncoded(rawPath)) throw fault('must be UTF-8, percent-encoded, in the path');
  const { externalIdText } = await import('../../shared/records/external-ids.ts');
  // `external_id` is the one parameter of these paths.
  const parsed = externalIdText.safeParse(Object.values<string>(params)[0]);
  if (parsed.success) return parsed.data;
  throw fault(parsed.error.issues[0]?.message ?? 'is malformed');
}

/** Whether every `%` begins a byte of UTF-8. The router takes the others as they are. */
function isEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** The body need not repeat what was said beside it, and may not say another. Throws 400. */
export function checkSameExternalId(
  { external_id: said }: Readonly<Record<string, unknown>>,
  externalId: string,
  mustBe: string,
): void {
  if (said !== undefined && said !== externalId) throw fault(`must be ${mustBe}`);
}

const fault = (message: string) =>
  new ApiError('validation', 'Fix these fields.', { details: [{ field: 'external_id', message }] });
