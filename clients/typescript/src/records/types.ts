// Record types from the OpenAPI documents, in the names of a variant (default: A).
import type { BodyOf, DataOf, ItemOf, QueryOf, ResponseOf } from '../core/operations.ts';
import type { paths as pathsOfA } from '../generated/v1.ts';
import type { paths as pathsOfB } from '../generated/v1-b.ts';
import type { paths as pathsOfC } from '../generated/v1-c.ts';

export type Variant = 'a' | 'b' | 'c';

/** The paths of each variant. */
export interface Paths {
  a: pathsOfA;
  b: pathsOfB;
  c: pathsOfC;
}
/** Paths that all documents share. */
type Path = keyof pathsOfA & keyof pathsOfB & keyof pathsOfC;
type Operation<V extends Variant, P extends Path, Method extends string> = Paths[V][P] extends {
  [M in Method]: infer Found;
}
  ? Found
  : never;
type Get<V extends Variant, P extends Path> = Operation<V, P, 'get'>;
type Post<V extends Variant, P extends Path> = Operation<V, P, 'post'>;
type Patch<V extends Variant, P extends Path> = Operation<V, P, 'patch'>;
type Put<V extends Variant, P extends Path> = Operation<V, P, 'put'>;

/** Request and response types of a kind of record, from the paths of its list and of one record. */
export interface Kind<V extends Variant, Many extends Path, One extends Path> {
  item: ItemOf<Get<V, Many>>;
  query: QueryOf<Get<V, Many>>;
  one: DataOf<Get<V, One>>;
  made: DataOf<Post<V, Many>>;
  create: BodyOf<Post<V, Many>>;
  changed: DataOf<Patch<V, One>>;
  change: BodyOf<Patch<V, One>>;
}

/** Additional types of records with external ids. */
interface ExternalKind<V extends Variant, External extends Path> {
  put: BodyOf<Put<V, External>>;
}

/** Types of batch operations. */
interface BatchKind<V extends Variant, Batch extends Path> {
  operation: BodyOf<Post<V, Batch>> extends { operations: (infer One)[] } ? One : never;
  result: DataOf<Post<V, Batch>> extends { results: (infer One)[] } ? One : never;
}

export type LeadKind<V extends Variant = 'a'> = Kind<V, '/v1/leads', '/v1/leads/{id}'> &
  ExternalKind<V, '/v1/leads/external/{external_id}'> &
  BatchKind<V, '/v1/leads/batch'>;
export type DealKind<V extends Variant = 'a'> = Kind<V, '/v1/deals', '/v1/deals/{id}'> &
  ExternalKind<V, '/v1/deals/external/{external_id}'> &
  BatchKind<V, '/v1/deals/batch'>;
export type OpportunityKind<V extends Variant = 'a'> = Kind<
  V,
  '/v1/opportunities',
  '/v1/opportunities/{id}'
> &
  ExternalKind<V, '/v1/opportunities/external/{external_id}'> &
  BatchKind<V, '/v1/opportunities/batch'>;
export type ActivityKind<V extends Variant = 'a'> = BatchKind<V, '/v1/activities/batch'>;
export type UserKind<V extends Variant = 'a'> = Kind<V, '/v1/users', '/v1/users/{id}'> &
  ExternalKind<V, '/v1/users/external/{external_id}'>;
export type TeamKind<V extends Variant = 'a'> = Kind<V, '/v1/teams', '/v1/teams/{id}'>;
export type WebhookKind<V extends Variant = 'a'> = Kind<V, '/v1/webhooks', '/v1/webhooks/{id}'>;

export type LeadOperation<V extends Variant = 'a'> = LeadKind<V>['operation'];
export type DealOperation<V extends Variant = 'a'> = DealKind<V>['operation'];
export type Lead<V extends Variant = 'a'> = LeadKind<V>['item'];
export type LeadWithHistory<V extends Variant = 'a'> = LeadKind<V>['one'];
export type NewLead<V extends Variant = 'a'> = LeadKind<V>['create'];
export type LeadChange<V extends Variant = 'a'> = LeadKind<V>['change'];
export type Conversion<V extends Variant = 'a'> = NonNullable<BodyOf<Post<V, '/v1/leads/{id}/convert'>>>;
export type Converted<V extends Variant = 'a'> = DataOf<Post<V, '/v1/leads/{id}/convert'>>;
export type Deal<V extends Variant = 'a'> = DealKind<V>['item'];
export type NewDeal<V extends Variant = 'a'> = DealKind<V>['create'];
export type DealChange<V extends Variant = 'a'> = DealKind<V>['change'];
export type Move<V extends Variant = 'a'> = BodyOf<Post<V, '/v1/deals/{id}/move'>>;
export type Closing<V extends Variant = 'a'> = BodyOf<Post<V, '/v1/deals/{id}/close'>>;
export type Opportunity<V extends Variant = 'a'> = OpportunityKind<V>['item'];
export type OpportunityMove<V extends Variant = 'a'> = BodyOf<Post<V, '/v1/opportunities/{id}/move'>>;
export type OpportunityClosing<V extends Variant = 'a'> = BodyOf<Post<V, '/v1/opportunities/{id}/close'>>;
export type Stage<V extends Variant = 'a'> = ItemOf<Get<V, '/v1/stages'>>;
export type DealActivity<V extends Variant = 'a'> = ItemOf<Get<V, '/v1/activities'>>;
export type NewDealActivity<V extends Variant = 'a'> = BodyOf<Post<V, '/v1/activities'>>;
export type ActivityQuery<V extends Variant = 'a'> = QueryOf<Get<V, '/v1/activities'>>;
export type User<V extends Variant = 'a'> = UserKind<V>['item'];
export type NewUser<V extends Variant = 'a'> = UserKind<V>['create'];
export type Statistics<V extends Variant = 'a'> = DataOf<Get<V, '/v1/users/{id}/stats'>>;
export type StatisticsQuery<V extends Variant = 'a'> = QueryOf<Get<V, '/v1/users/{id}/stats'>>;
export type MetricsQuery<V extends Variant = 'a'> = QueryOf<Get<V, '/v1/users/{id}/metrics'>>;
export type Invitation<V extends Variant = 'a'> = ItemOf<Get<V, '/v1/invitations'>>;
export type NewInvitation<V extends Variant = 'a'> = BodyOf<Post<V, '/v1/invitations'>>;
export type InvitationQuery<V extends Variant = 'a'> = QueryOf<Get<V, '/v1/invitations'>>;
export type Team<V extends Variant = 'a'> = TeamKind<V>['item'];
export type NewMember<V extends Variant = 'a'> = BodyOf<Post<V, '/v1/teams/{id}/members'>>;
export type MemberQuery<V extends Variant = 'a'> = QueryOf<Get<V, '/v1/teams/{id}/members'>>;
export type Member<V extends Variant = 'a'> = ItemOf<Get<V, '/v1/teams/{id}/members'>>;
export type Webhook<V extends Variant = 'a'> = WebhookKind<V>['item'];
export type Delivery<V extends Variant = 'a'> = ItemOf<Get<V, '/v1/webhooks/{id}/deliveries'>>;
export type DeliveryQuery<V extends Variant = 'a'> = QueryOf<Get<V, '/v1/webhooks/{id}/deliveries'>>;
export type FeedEvent<V extends Variant = 'a'> = ItemOf<Get<V, '/v1/events'>>;
export type EventQuery<V extends Variant = 'a'> = QueryOf<Get<V, '/v1/events'>>;
// The same names in all variants.
export type ReplayRequest = BodyOf<Post<'a', '/v1/webhooks/{id}/replay'>>;
export type Replay = DataOf<Get<'a', '/v1/webhooks/{id}/replays/{replay_id}'>>;
export type KeySet = ResponseOf<Get<'a', '/v1/webhooks/{id}/keys'>>;
export type Mission = ItemOf<Get<'a', '/v1/missions'>>;
export type MissionQuery = QueryOf<Get<'a', '/v1/missions'>>;
export type Standing = ItemOf<Get<'a', '/v1/standings'>>;
export type StandingsQuery = QueryOf<Get<'a', '/v1/standings'>>;
export type Season = ItemOf<Get<'a', '/v1/seasons'>>;
export type SeasonQuery = QueryOf<Get<'a', '/v1/seasons'>>;
export type Badge = ItemOf<Get<'a', '/v1/badges'>>;
export type BadgeQuery = QueryOf<Get<'a', '/v1/badges'>>;
export type Challenge = ItemOf<Get<'a', '/v1/challenges'>>;
export type ChallengeQuery = QueryOf<Get<'a', '/v1/challenges'>>;
export type PointEntry = ItemOf<Get<'a', '/v1/users/{id}/points'>>;
export type PointQuery = QueryOf<Get<'a', '/v1/users/{id}/points'>>;
export type BadgeOfUser = ItemOf<Get<'a', '/v1/users/{id}/badges'>>;
export type BadgeOfUserQuery = QueryOf<Get<'a', '/v1/users/{id}/badges'>>;
