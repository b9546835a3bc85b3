// What a new connection need not ask the server. Left alone, postgres.js waits on the network once more for each statement that
// has parameters and is new to the connection, to learn their types: some twenty waits before a first answer.

/** What postgres.js keeps of a statement that it sends. */
interface Sent {
  parameters: unknown[];
  statement: { types: number[] };
}

/**
 * Has a statement sent at once. Texts, numbers and the like look the same whatever the column; only what could be an array
 * as well as JSON is still asked about.
 */
export function sendAtOnce<S extends object>(statement: S): S {
  // Set by the library before it reads `describeFirst`.
  const sent = statement as S & Sent;
  let wanted = false;
  let decided: boolean | undefined;
  Object.defineProperty(statement, 'describeFirst', {
    get: () => {
      decided ??=
        wanted && sent.parameters.some((value, i) => isStructure(value) && !sent.statement.types[i]);
      return decided;
    },
    set: (value: unknown) => {
      wanted = Boolean(value);
      decided = wanted ? undefined : false;
    },
  });
  return statement;
}

const isStructure = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !(value instanceof Uint8Array);
