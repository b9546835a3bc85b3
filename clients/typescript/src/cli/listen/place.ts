// How far a feed was dealt with: everything up to the place was taken or given up, so that a restart from there misses nothing.

export class Place {
  #cursor: string | undefined;
  readonly #open: { cursor: string; settled: boolean }[] = [];

  constructor(start: string | undefined) {
    this.#cursor = start;
  }

  /** What a later start goes on from; undefined for the beginning. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** Events that are not settled. */
  get open(): number {
    return this.#open.length;
  }

  /** Adds the next place of the feed; the function that it gives settles it. */
  begin(cursor: string): () => void {
    const entry = { cursor, settled: false };
    this.#open.push(entry);
    return () => {
      entry.settled = true;
      while (this.#open[0]?.settled) this.#cursor = this.#open.shift()?.cursor;
    };
  }
}
