/** Records only: leads, deals, users, teams and webhooks. */
import { accessTokens } from './core/authorizers.ts';
import type { OAuthOptions } from './core/options.ts';
import { Transport } from './core/transport.ts';
import { Requests } from './records/requests.ts';
import * as resources from './records/resources.ts';
import type { Variant } from './records/types.ts';

export type { FeedPage } from './core/feeds.ts';
export type { CallOptions, Hooks, OAuthOptions, RequestInfo } from './core/options.ts';
export type { List } from './core/pages.ts';
export * from './errors.ts';
export { etagOf } from './records/requests.ts';
export type * from './records/types.ts';

export interface RecordsOptions<V extends Variant = Variant> extends OAuthOptions {
  /** Naming of records and their types. Default: the variant of the OAuth client, with the types of variant A. */
  variant?: V;
}

/** `new RecordsClient({ url, clientId, clientSecret })` */
export class RecordsClient<V extends Variant = 'a'> {
  readonly leads: ReturnType<typeof resources.leadsOf<V>>;
  readonly deals: ReturnType<typeof resources.dealsOf<V>>;
  /** Deals with the names of variant B. Available in variants A and B. */
  readonly opportunities: ReturnType<typeof resources.opportunitiesOf<V>>;
  readonly dealActivities: ReturnType<typeof resources.dealActivitiesOf<V>>;
  readonly stages: ReturnType<typeof resources.stagesOf<V>>;
  readonly users: ReturnType<typeof resources.usersOf<V>>;
  readonly missions: ReturnType<typeof resources.gamificationOf>['missions'];
  readonly standings: ReturnType<typeof resources.standingsOf>;
  readonly seasons: ReturnType<typeof resources.gamificationOf>['seasons'];
  readonly badges: ReturnType<typeof resources.gamificationOf>['badges'];
  readonly challenges: ReturnType<typeof resources.gamificationOf>['challenges'];
  readonly invitations: ReturnType<typeof resources.invitationsOf<V>>;
  readonly teams: ReturnType<typeof resources.teamsOf<V>>;
  readonly webhooks: ReturnType<typeof resources.webhooksOf<V>>;
  /** The events that webhooks push, for polling. */
  readonly events: ReturnType<typeof resources.eventsOf<V>>;
  /** The admin API: `admin.request('POST', '/missions', {...})`. */
  readonly admin: ReturnType<typeof resources.adminOf>;

  constructor(options: RecordsOptions<V>) {
    const requests = new Requests(new Transport(options, accessTokens(options)), options.variant);
    this.leads = resources.leadsOf(requests);
    this.deals = resources.dealsOf(requests);
    this.opportunities = resources.opportunitiesOf(requests);
    this.dealActivities = resources.dealActivitiesOf(requests);
    this.stages = resources.stagesOf(requests);
    this.users = resources.usersOf(requests);
    const { missions, seasons, badges, challenges } = resources.gamificationOf(requests);
    this.missions = missions;
    this.standings = resources.standingsOf(requests);
    this.seasons = seasons;
    this.badges = badges;
    this.challenges = challenges;
    this.invitations = resources.invitationsOf(requests);
    this.teams = resources.teamsOf(requests);
    this.webhooks = resources.webhooksOf(requests);
    this.events = resources.eventsOf(requests);
    this.admin = resources.adminOf(requests);
  }
}
