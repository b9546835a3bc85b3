// What a page is given, and what it gives back.
import type { Child } from 'hono/jsx';
import type postgres from 'postgres';
import type { StackInfo } from '../demo.ts';
import type { Inbox } from '../emulators/inbox.ts';
import type { Mailbox } from '../emulators/mailbox.ts';

export interface ConsoleOptions {
  /** The gateway's address. */
  url: string;
  /** Folder of the stack. */
  dir: string;
  /** The database, as its owner. */
  sql: postgres.Sql;
  credentials: Pick<StackInfo, 'tenant_id' | 'api_key' | 'client_id' | 'client_secret'>;
  inbox: Inbox;
  mailbox: Mailbox;
  /** What notifications of the sandbox carry. */
  sandboxNotificationToken: string;
  /** What calls of the sweep carry. */
  sweepToken: string;
}

export interface Tenant {
  id: string;
  name: string;
  slug: string;
}

/** A request of the console, as a page sees it. */
export interface View extends ConsoleOptions {
  /** Whose data is shown. */
  tenant: Tenant;
  /** Everybody that can be chosen, the demo tenant first. */
  tenants: Tenant[];
  path: string;
  now: Date;
  /** A parameter of the path; empty where there is none. */
  param(name: string): string;
  /** A parameter of the query, without blanks around it; empty where there is none. */
  query(name: string): string;
}

export interface PageContent {
  title: string;
  /** One sentence below the title. */
  lead?: Child;
  /** Beside the title. */
  actions?: Child;
  body: Child;
}

/** Gives nothing where there is no such thing. */
export type Page = (view: View) => Promise<PageContent | undefined>;
