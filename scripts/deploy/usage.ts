// Wrong arguments of a command: exit code 2.

export function failWith(message: string): never {
  console.error(message);
  process.exit(2);
}

/** Reads the arguments of a command; ends with its usage if they are wrong or ask for it. */
export function parseOrExit<T>(read: () => T, usage: string): T {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return read();
  } catch (error) {
    return failWith(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
}
