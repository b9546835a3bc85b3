// Tracks the progress in a feed: every event up to the cursor is delivered or dropped, so a restart from there misses none.

export class FeedProgress {
  #cursor: string | undefined;
  readonly #open: { cursor: string; settled: boolean }[] = [];

  constructor(start: string | undefined) {
    this.#cursor = start;
  }

  /** Cursor for a later start; undefined for the beginning. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** Number of events that are not settled. */
  get open(): number {
    return this.#open.length;
  }

  /** Adds the next cursor of the feed. Returns the function that settles it. */
  begin(cursor: string): () => void {
    const entry = { cursor, settled: false };
    this.#open.push(entry);
    return () => {
      entry.settled = true;
      while (this.#open[0]?.settled) this.#cursor = this.#open.shift()?.cursor;
    };
  }
}
