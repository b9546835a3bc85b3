/** Durations and sizes of a run. */
export interface Pace {
  rounds: number;
  /** Duration of one load. */
  seconds: number;
  /** Requests before costs are measured. */
  warmUp: number;
  /** Starts per function. */
  boots: number;
  /** Requests per measurement of network waits. */
  probes: number;
  /** Activities in the full table. */
  storedRows: number;
  /** Invoices in the full table. */
  storedInvoices: number;
  /** Leads and deals of the full tenant. */
  storedRecords: number;
  /** Webhooks per round. */
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
