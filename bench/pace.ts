/** How long the bench takes its time. */
export interface Pace {
  rounds: number;
  /** Length of one load. */
  seconds: number;
  /** Starts of each function. */
  boots: number;
  /** Requests behind each number of network waits. */
  probes: number;
  /** Stored activities of the full table. */
  storedRows: number;
}

export const paces = {
  full: { rounds: 6, seconds: 3, boots: 15, probes: 15, storedRows: 5_000_000 },
  quick: { rounds: 4, seconds: 2, boots: 7, probes: 7, storedRows: 500_000 },
} satisfies Record<string, Pace>;
