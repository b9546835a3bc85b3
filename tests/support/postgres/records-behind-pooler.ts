// A worker of records behind the test pooler, whose faults see all SQL of the worker.
import type postgres from 'postgres';
import { startOwnFunction } from '../functions.ts';
import type { Json, Reply } from '../gamification/sync.ts';
import { createLead, newEmail } from '../records/record-flows.ts';
import { createRecordsTenant, type RecordsTenant, records } from '../records/records.ts';
import { waitFor } from '../wait-for.ts';
import { databaseAddress } from './pooler-load.ts';
import { startTransactionPooler, type TransactionPooler } from './transaction-pooler.ts';

export interface RecordsBehindPooler {
  pooler: TransactionPooler;
  baseUrl: string;
  tenant: RecordsTenant;
  /** Reads a lead. */
  read(): Promise<Reply>;
  /** Creates a lead with this email address. */
  write(email?: string, headers?: Record<string, string>): Promise<Reply>;
  countLeads(email: string): Promise<number>;
  /** Its log lines with this message. */
  logged(message: string): Json[];
}

/** Whether a transaction belongs to `read` or `write`: only these name the table. */
export const isAboutLeads = (sqlOfTransaction: string): boolean => sqlOfTransaction.includes('public.leads');

export async function startRecordsBehindPooler(sql: postgres.Sql): Promise<RecordsBehindPooler> {
  const { pooler, url } = await startTransactionPooler(databaseAddress());
  const settings = { DATABASE_URL: url, DATABASE_POOLER: 'transaction' };
  const { baseUrl, lines } = await startOwnFunction('v1', settings);
  const tenant = await createRecordsTenant(sql);
  const { id: lead } = await createLead(tenant.token);
  return {
    ...{ pooler, baseUrl, tenant },
    read: () => records(tenant.token, 'GET', `/leads/${lead}`, undefined, { baseUrl }),
    write: (email = newEmail(), headers = {}) =>
      records(tenant.token, 'POST', '/leads', { name: 'Bia', email }, { baseUrl, headers }),
    countLeads: async (email) =>
      (await sql`select from leads where tenant_id = ${tenant.id} and email = ${email}`).length,
    logged: (message) =>
      lines
        .filter((line) => line.includes(`"message":"${message}"`))
        .map((line) => JSON.parse(line.slice(line.indexOf('{')))),
  };
}

interface Senders {
  replies: Reply[];
  /** Waits for this many more responses of this kind. */
  more(isCounted: (reply: Reply) => boolean): Promise<void>;
  stop(): Promise<void>;
}

/** Sends requests in four sequences until it is stopped. */
export function startSenders(send: () => Promise<Reply>): Senders {
  const replies: Reply[] = [];
  let isOver = false;
  const senders = Array.from({ length: 4 }, async () => {
    while (!isOver) replies.push(await send());
  });
  return {
    replies,
    async more(isCounted) {
      const from = replies.length;
      await waitFor(() => replies.slice(from).filter(isCounted).length >= 20);
    },
    async stop() {
      isOver = true;
      await Promise.all(senders);
    },
  };
}
