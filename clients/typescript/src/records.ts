/** Records alone: leads, deals, users, teams and webhooks. */
import { accessTokens } from './core/authorizers.ts';
import type { OAuthOptions } from './core/options.ts';
import { Transport } from './core/transport.ts';
import { Requests, type Variant } from './records/requests.ts';
import * as resources from './records/resources.ts';

export type { CallOptions, Hooks, OAuthOptions, RequestInfo } from './core/options.ts';
export type { List } from './core/pages.ts';
export * from './errors.ts';
export type { Variant } from './records/requests.ts';
export type * from './records/types.ts';

export interface RecordsOptions extends OAuthOptions {
  /** Naming to speak; the one that the OAuth client was made with when absent. The types are those of A. */
  variant?: Variant;
}

/** `new RecordsClient({ url, clientId, clientSecret })` */
export class RecordsClient {
  readonly leads: ReturnType<typeof resources.leadsOf>;
  readonly deals: ReturnType<typeof resources.dealsOf>;
  /** Deals under the names of variant B, whichever variant the client speaks but C. */
  readonly opportunities: ReturnType<typeof resources.opportunitiesOf>;
  readonly dealActivities: ReturnType<typeof resources.dealActivitiesOf>;
  readonly stages: ReturnType<typeof resources.stagesOf>;
  readonly users: ReturnType<typeof resources.usersOf>;
  readonly invitations: ReturnType<typeof resources.invitationsOf>;
  readonly teams: ReturnType<typeof resources.teamsOf>;
  readonly webhooks: ReturnType<typeof resources.webhooksOf>;

  constructor(options: RecordsOptions) {
    const requests = new Requests(new Transport(options, accessTokens(options)), options.variant);
    this.leads = resources.leadsOf(requests);
    this.deals = resources.dealsOf(requests);
    this.opportunities = resources.opportunitiesOf(requests);
    this.dealActivities = resources.dealActivitiesOf(requests);
    this.stages = resources.stagesOf(requests);
    this.users = resources.usersOf(requests);
    this.invitations = resources.invitationsOf(requests);
    this.teams = resources.teamsOf(requests);
    this.webhooks = resources.webhooksOf(requests);
  }
}
