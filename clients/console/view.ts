// Input and output of a page.
import type { Child } from 'hono/jsx';
import type { Scope } from './api/access.ts';
import type { EventHistory } from './api/events.ts';
import type { PageApi } from './api/page-api.ts';
import type { RequestHistory } from './api/request-history.ts';
import type { Directory, DirectoryKind, Workspace } from './api/workspace.ts';
import type { IconName } from './kit/icons.tsx';
import type { Message } from './kit/language.ts';

/** Rows on one page of a list. */
export const PAGE_ROWS = 25;

export interface NavigationItem {
  path: string;
  name: Message;
  /** Any of these scopes opens the page. If absent, everyone can open it. */
  scopes?: readonly Scope[];
}

export interface NavigationSection extends NavigationItem {
  icon: IconName;
  /** Shown as tabs. The section's own path is the first one's. */
  tabs?: readonly NavigationItem[];
}

/** The parts around the content of every page. */
export interface Frame {
  navigation: readonly NavigationSection[];
  /** Shown at the bottom of the navigation. */
  foot: Child;
  can(scope: Scope): boolean;
}

/** Properties of a request that the layout needs. */
export interface FramedView {
  path: string;
  /** Token of the session, for forms. */
  csrf: string;
  frame: Frame;
  /** Text to show once after an action. */
  notice?: { text: string; lang?: string | undefined } | undefined;
  /** Time between refreshes of the page's live parts. */
  pollMs?: number | undefined;
  /** Time zone of the times on the page, if it has any. */
  zone?: string | undefined;
}

/** A request to the console. */
export interface View extends FramedView {
  now: Date;
  api: PageApi;
  /** Settings of the workspace; only defaults without `read:settings`. */
  workspace: Workspace;
  events: EventHistory;
  requests: RequestHistory;
  /** Names of users, teams and stages. */
  directory(...kinds: DirectoryKind[]): Promise<Directory>;
  can(scope: Scope): boolean;
  scopes: ReadonlySet<Scope>;
  /** Whether a person signed in, instead of a client. */
  isPerson: boolean;
  /** Client id of the token. */
  clientId: string | undefined;
  /** Where browsers find the console, without a trailing slash. */
  origin: string;
  /** URL of the functions, without a trailing slash. */
  functionsUrl: string;
  /** A path parameter; empty if absent. */
  param(name: string): string;
  /** A trimmed query parameter; empty if absent. */
  query(name: string): string;
}

export interface PageContent {
  title: string;
  /** One sentence below the title. */
  lead?: Child;
  /** Shown next to the title. */
  actions?: Child;
  /** The page whose section it belongs to, if it has another address, such as the start page. */
  section?: string;
  /** Time between refreshes of its live parts, if it differs from that of other pages. */
  pollMs?: number | undefined;
  body: Child;
}

/** Returns undefined if the record does not exist. */
export type Page = (view: View) => Promise<PageContent | undefined>;
