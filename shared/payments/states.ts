/** For each state, those that may follow it. */
export type Transitions = Readonly<Record<string, readonly string[]>>;

/** The states that may become this one. */
export const statesBefore = (transitions: Transitions, next: string): string[] =>
  Object.entries(transitions).flatMap(([state, following]) => (following.includes(next) ? [state] : []));

/** What has not been accepted by its provider: nobody is shown it, and only the answer to its order opens it. */
export const CREATING = 'creating';

/** The states in which a provider's report may make it this one. */
export const statesBeforeReport = (transitions: Transitions, reported: string): string[] =>
  statesBefore(transitions, reported).filter((state) => state !== CREATING);
