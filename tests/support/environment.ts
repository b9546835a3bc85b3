// Reads settings as a newly started process would, without starting one.

/** Runs with only these environment variables. */
export function withEnvironment<T>(variables: Record<string, string>, run: () => T): T {
  const before = process.env;
  process.env = { ...variables };
  try {
    return run();
  } finally {
    process.env = before;
  }
}
