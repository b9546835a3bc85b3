/** Conditions that our own SQL functions raise, by their code. */
export const raisedCodes = {
  /** Another attempt took an Idempotency-Key over, or the sweep completed what it was making. */
  overtaken: 'PL001',
  /** A row is no longer in the state that was decided on. */
  statusChanged: 'PL002',
  /** A tax document was issued meanwhile. */
  documentIssued: 'PL003',
  /** A request of records cannot be done; the message is the reason's name. */
  refused: 'PL400',
  /** The OAuth client of a request was revoked. */
  clientRevoked: 'PL401',
} as const;

/** Whether an error is one of these conditions. */
export function raised(error: unknown, name: keyof typeof raisedCodes): boolean {
  return error instanceof Error && 'code' in error && error.code === raisedCodes[name];
}
