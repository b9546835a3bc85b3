/** How long the bench takes its time. */
export interface Pace {
  rounds: number;
  /** Length of one load. */
  seconds: number;
  /** Requests before the cost of one is measured. */
  warmUp: number;
  /** Starts of each function. */
  boots: number;
  /** Requests behind each number of network waits. */
  probes: number;
  /** Stored activities of the full table. */
  storedRows: number;
  /** Stored invoices of the full table. */
  storedInvoices: number;
  /** Stored leads and deals of the full tenant. */
  storedRecords: number;
  /** Webhooks of one round. */
  deliveries: number;
}

export const paces = {
  full: {
    rounds: 6,
    seconds: 3,
    warmUp: 10_000,
    boots: 15,
    probes: 15,
    storedRows: 5_000_000,
    storedInvoices: 1_000_000,
    storedRecords: 1_000_000,
    deliveries: 500,
  },
  quick: {
    rounds: 4,
    seconds: 2,
    warmUp: 5000,
    boots: 7,
    probes: 7,
    storedRows: 500_000,
    storedInvoices: 100_000,
    storedRecords: 100_000,
    deliveries: 200,
  },
} satisfies Record<string, Pace>;
