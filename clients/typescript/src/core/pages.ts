// Lists with automatic pagination.

/** One page, and the query of the next page if there is one. */
export interface Page<Item, Query> {
  items: Item[];
  next: Query | undefined;
}

/** A list. `for await` iterates over the items, and over `pages()` in arrays. Each loop starts from the first page. */
export class List<Item> implements AsyncIterable<Item> {
  readonly #pages: () => AsyncGenerator<Item[]>;

  constructor(pages: () => AsyncGenerator<Item[]>) {
    this.#pages = pages;
  }

  pages(): AsyncGenerator<Item[]> {
    return this.#pages();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for await (const page of this.#pages()) yield* page;
  }

  /** Collects all items, at most `limit`. */
  async toArray(limit = Number.POSITIVE_INFINITY): Promise<Item[]> {
    const items: Item[] = [];
    if (limit <= 0) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= limit) break;
    }
    return items;
  }
}

/** A list whose pages are fetched one after the other by `read`. */
export function paged<Item, Query>(
  first: Query,
  read: (query: Query) => Promise<Page<Item, Query>>,
): List<Item> {
  return new List(async function* () {
    for (let query: Query | undefined = first; query !== undefined; ) {
      const page: Page<Item, Query> = await read(query);
      if (page.items.length > 0) yield page.items;
      query = page.next;
    }
  });
}

/** `?a=1&b=2`, without undefined values. */
export function queryText(query: object): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

/** Encodes one segment of a path. */
export const part = (id: string): string => {
  // An empty id or a dot segment would change the path.
  if (/^\.{0,2}$/.test(id)) throw new TypeError('id is required');
  return encodeURIComponent(id);
};
