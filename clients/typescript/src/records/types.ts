// Records as the OpenAPI document has them.
import type { BodyOf, DataOf, ItemOf, QueryOf } from '../core/operations.ts';
import type { paths } from '../generated/v1.ts';

type Get<Path extends keyof paths> = paths[Path] extends { get: infer Operation } ? Operation : never;
type Post<Path extends keyof paths> = paths[Path] extends { post: infer Operation } ? Operation : never;
type Patch<Path extends keyof paths> = paths[Path] extends { patch: infer Operation } ? Operation : never;

/** What a kind of record takes and gives: its list's path and that of one record. */
export interface Kind<Many extends keyof paths, One extends keyof paths> {
  item: ItemOf<Get<Many>>;
  query: QueryOf<Get<Many>>;
  one: DataOf<Get<One>>;
  made: DataOf<Post<Many>>;
  create: BodyOf<Post<Many>>;
  changed: DataOf<Patch<One>>;
  change: BodyOf<Patch<One>>;
}

export type LeadKind = Kind<'/v1/leads', '/v1/leads/{id}'>;
export type DealKind = Kind<'/v1/deals', '/v1/deals/{id}'>;
export type OpportunityKind = Kind<'/v1/opportunities', '/v1/opportunities/{id}'>;
export type UserKind = Kind<'/v1/users', '/v1/users/{id}'>;
export type TeamKind = Kind<'/v1/teams', '/v1/teams/{id}'>;
export type WebhookKind = Kind<'/v1/webhooks', '/v1/webhooks/{id}'>;

export type Lead = LeadKind['item'];
export type LeadWithHistory = LeadKind['one'];
export type NewLead = LeadKind['create'];
export type LeadChange = LeadKind['change'];
export type Conversion = NonNullable<BodyOf<Post<'/v1/leads/{id}/convert'>>>;
export type Converted = DataOf<Post<'/v1/leads/{id}/convert'>>;
export type Deal = DealKind['item'];
export type NewDeal = DealKind['create'];
export type DealChange = DealKind['change'];
export type Move = BodyOf<Post<'/v1/deals/{id}/move'>>;
export type Closing = BodyOf<Post<'/v1/deals/{id}/close'>>;
export type Opportunity = OpportunityKind['item'];
export type OpportunityMove = BodyOf<Post<'/v1/opportunities/{id}/move'>>;
export type OpportunityClosing = BodyOf<Post<'/v1/opportunities/{id}/close'>>;
export type Stage = ItemOf<Get<'/v1/stages'>>;
export type DealActivity = ItemOf<Get<'/v1/activities'>>;
export type NewDealActivity = BodyOf<Post<'/v1/activities'>>;
export type ActivityQuery = QueryOf<Get<'/v1/activities'>>;
export type User = UserKind['item'];
export type NewUser = UserKind['create'];
export type Statistics = DataOf<Get<'/v1/users/{id}/stats'>>;
export type StatisticsQuery = QueryOf<Get<'/v1/users/{id}/stats'>>;
export type MetricsQuery = QueryOf<Get<'/v1/users/{id}/metrics'>>;
export type Invitation = ItemOf<Get<'/v1/invitations'>>;
export type NewInvitation = BodyOf<Post<'/v1/invitations'>>;
export type InvitationQuery = QueryOf<Get<'/v1/invitations'>>;
export type Team = TeamKind['item'];
export type NewMember = BodyOf<Post<'/v1/teams/{id}/members'>>;
export type MemberQuery = QueryOf<Get<'/v1/teams/{id}/members'>>;
export type Member = ItemOf<Get<'/v1/teams/{id}/members'>>;
export type Webhook = WebhookKind['item'];
export type Delivery = ItemOf<Get<'/v1/webhooks/{id}/deliveries'>>;
export type DeliveryQuery = QueryOf<Get<'/v1/webhooks/{id}/deliveries'>>;
