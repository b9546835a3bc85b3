// What a new connection need not ask the server. Left alone, postgres.js waits on the network once more for each statement that
// has parameters and is new to the connection, to learn their types: some twenty waits before a first answer.

/** What postgres.js keeps of a statement that it sends. */
interface Sent {
  parameters: unknown[];
  statement: { types: number[] };
  /** Whether the library would ask first. */
  wantsTypes?: boolean;
  asksTypes?: boolean | undefined;
}

/** Statements of the library, which are one class: changed when the first one is seen. */
let changed: object | undefined;

/**
 * Has a statement sent at once. Texts, numbers and the like look the same whatever the column; only what could be an array
 * as well as JSON is still asked about.
 */
export function sendAtOnce<S extends object>(statement: S): S {
  const prototype: object = Object.getPrototypeOf(statement);
  if (changed !== prototype) {
    changed = prototype;
    // The library sets what it wants, then the types that it knows, and then reads it.
    Object.defineProperty(prototype, 'describeFirst', {
      get(this: Sent) {
        this.asksTypes ??=
          this.wantsTypes &&
          this.parameters.some((value, i) => isStructure(value) && !this.statement.types[i]);
        return this.asksTypes;
      },
      set(this: Sent, value: unknown) {
        this.wantsTypes = Boolean(value);
        this.asksTypes = this.wantsTypes ? undefined : false;
      },
    });
  }
  return statement;
}

const isStructure = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !(value instanceof Uint8Array);
