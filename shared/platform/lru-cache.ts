/** What was seen of late, by key: the oldest entry goes when there are too many. */
export class Recent<V> {
  readonly #max: number;
  readonly #values = new Map<string, V>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  add(key: string, value: V): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#max) this.delete(this.#values.keys().next().value ?? '');
  }

  delete(key: string): void {
    this.#values.delete(key);
  }
}
