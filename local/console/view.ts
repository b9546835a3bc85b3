// Input and output of a page.
import type postgres from 'postgres';
import type { FramedView, PageContent } from '../../clients/console/view.ts';
import type { StackInfo } from '../demo.ts';
import type { Inbox } from '../emulators/inbox.ts';
import type { Mailbox } from '../emulators/mailbox.ts';

export interface ConsoleOptions {
  /** URL of the gateway. */
  url: string;
  /** Folder of the stack. */
  dir: string;
  /** Connection as the database owner. */
  sql: postgres.Sql;
  credentials: Pick<StackInfo, 'tenant_id' | 'api_key' | 'client_id' | 'client_secret'>;
  inbox: Inbox;
  mailbox: Mailbox;
  /** Token of sandbox notifications. */
  sandboxNotificationToken: string;
  /** Token of sweep requests. */
  sweepToken: string;
}

/** Rows on one page of a list. Queries read one more, which shows that there is another page. */
export const PAGE_ROWS = 25;

export interface Tenant {
  id: string;
  name: string;
  slug: string;
}

/** A request to the console. */
export interface View extends ConsoleOptions, FramedView {
  /** The tenant whose data is shown. */
  tenant: Tenant;
  now: Date;
  /** A path parameter; empty if absent. */
  param(name: string): string;
  /** The page of a list, from 1. */
  page: number;
  /** A trimmed query parameter; empty if absent. */
  query(name: string): string;
}

/** Returns undefined if the record does not exist. */
export type Page = (view: View) => Promise<PageContent | undefined>;

/** `limit` and `offset` of a list's query. */
export const pageOf = ({ sql, page }: Pick<View, 'sql' | 'page'>) =>
  sql`limit ${PAGE_ROWS + 1} offset ${(page - 1) * PAGE_ROWS}`;
