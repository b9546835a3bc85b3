// Wrong arguments of a command: exit code 2.

export function failWith(message: string): never {
  console.error(message);
  process.exit(2);
}

/** Reads the arguments of a command; ends with its usage if they are wrong. */
export function parseOrExit<T>(read: () => T, usage: string): T {
  try {
    return read();
  } catch (error) {
    return failWith(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
}
