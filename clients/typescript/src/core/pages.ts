// Lists that page by themselves.

/** One page, and the query of the next one if there is any. */
export interface Page<Item, Query> {
  items: Item[];
  next: Query | undefined;
}

/** A list: `for await` over it gives the items, over `pages()` arrays of them. Each loop asks anew. */
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

  /** All items, at most `limit` of them. */
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

/** A list whose pages `read` gets, one after the other. */
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

/** `?a=1&b=2`, nothing for what is undefined. */
export function queryText(query: object): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

/** One part of a path. */
export const part = (id: string): string => {
  // An id that is empty, or a dot, would make another path of it.
  if (/^\.{0,2}$/.test(id)) throw new TypeError('an id must be given');
  return encodeURIComponent(id);
};
