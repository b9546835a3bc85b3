// Reads lists page by page.
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Operation } from '../../shared/operation.ts';
import { call, type Request } from '../../shared/request.ts';

interface Meta {
  page?: number;
  total_pages?: number;
  has_more?: boolean;
  next_cursor?: string | null;
}

interface Page extends Meta {
  data: IDataObject[];
  meta?: Meta;
  pagination?: Meta;
}

const PAGE_SIZE = 100;

/** Parameters of the page after this one; undefined after the last page. */
function nextPage(
  kind: Operation['list'],
  { data, meta, pagination, ...page }: Page,
): Record<string, unknown> | undefined {
  const about = { ...page, ...meta, ...pagination };
  const lastId = data[data.length - 1]?.id;
  if (kind === 'pages') {
    const number = about.page ?? 1;
    return number < (about.total_pages ?? 1) ? { page: number + 1 } : undefined;
  }
  if (!about.has_more) return undefined;
  if (kind === 'ids') return { starting_after: lastId };
  return about.next_cursor ? { after: about.next_cursor } : undefined;
}

/** Up to `limit` records. */
export async function readList(
  functions: IExecuteFunctions,
  { list }: Operation,
  request: Request,
  limit: number,
): Promise<IDataObject[]> {
  const size = Math.min(PAGE_SIZE, limit);
  const records: IDataObject[] = [];
  let position: Record<string, unknown> | undefined = {};
  while (position && records.length < limit) {
    const query = { ...request.query, [list === 'pages' ? 'per_page' : 'limit']: size, ...position };
    // The OpenAPI documents describe these members for every list.
    const page = (await call(functions, { ...request, query })) as Page;
    records.push(...page.data);
    position = nextPage(list, page);
  }
  return records.slice(0, limit);
}
