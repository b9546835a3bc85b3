/** The message of an error and of its cause: that of `fetch` only says that it failed. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${ownReason(error)}: ${ownReason(cause)}` : ownReason(error);
}

/** If several addresses of one host name failed, the error has only a code. */
const ownReason = (error: Error): string =>
  error.message || ('code' in error ? String(error.code) : error.name);
