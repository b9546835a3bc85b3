/** For each state, those that may follow it. */
export type Transitions = Readonly<Record<string, readonly string[]>>;

/** The states that may become this one. */
export const statesBefore = (transitions: Transitions, next: string): string[] =>
  Object.entries(transitions).flatMap(([state, following]) => (following.includes(next) ? [state] : []));
