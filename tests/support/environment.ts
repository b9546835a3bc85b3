// Settings as a process that was started with them finds them, without starting one.

/** Runs with these environment variables alone. */
export function withEnvironment<T>(variables: Record<string, string>, run: () => T): T {
  const before = process.env;
  process.env = { ...variables };
  try {
    return run();
  } finally {
    process.env = before;
  }
}
