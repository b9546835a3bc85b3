// The kinds of records, and what each can besides being made, read, listed and changed.
import type { CallOptions } from '../core/options.ts';
import { part, queryText } from '../core/pages.ts';
import { collection, type Requests, removal, type WriteOptions } from './requests.ts';
import type * as t from './types.ts';

export function leadsOf(requests: Requests) {
  return {
    ...collection<t.LeadKind>(requests, 'leads'),
    delete: removal(requests, 'leads'),
    /** The lead becomes a deal. */
    convert: (id: string, conversion: t.Conversion = {}, options?: WriteOptions) =>
      requests.data<t.Converted>('POST', `/leads/${part(id)}/convert`, conversion, options),
    listActivities: (id: string, query?: t.ActivityQuery, options?: CallOptions) =>
      requests.list<t.DealActivity>(`/leads/${part(id)}/activities`, query, options),
  };
}

export function dealsOf(requests: Requests) {
  const path = (id: string, more: string) => `/deals/${part(id)}/${more}`;
  return {
    ...collection<t.DealKind>(requests, 'deals'),
    delete: removal(requests, 'deals'),
    /** To another stage. */
    move: (id: string, move: t.Move, options?: WriteOptions) =>
      requests.data<t.Deal>('POST', path(id, 'move'), move, options),
    /** Won or lost. */
    close: (id: string, closing: t.Closing, options?: WriteOptions) =>
      requests.data<t.Deal>('POST', path(id, 'close'), closing, options),
    listActivities: (id: string, query?: t.ActivityQuery, options?: CallOptions) =>
      requests.list<t.DealActivity>(path(id, 'activities'), query, options),
    createActivity: (id: string, activity: t.NewDealActivity, options?: WriteOptions) =>
      requests.data<t.DealActivity>('POST', path(id, 'activities'), activity, options),
  };
}

export function opportunitiesOf(requests: Requests) {
  return {
    ...collection<t.OpportunityKind>(requests, 'opportunities'),
    delete: removal(requests, 'opportunities'),
    move: (id: string, move: t.OpportunityMove, options?: WriteOptions) =>
      requests.data<t.Opportunity>('POST', `/opportunities/${part(id)}/move`, move, options),
    close: (id: string, closing: t.OpportunityClosing, options?: WriteOptions) =>
      requests.data<t.Opportunity>('POST', `/opportunities/${part(id)}/close`, closing, options),
  };
}

export function dealActivitiesOf(requests: Requests) {
  return {
    create: (activity: t.NewDealActivity, options?: WriteOptions) =>
      requests.data<t.DealActivity>('POST', '/activities', activity, options),
    list: (query?: t.ActivityQuery, options?: CallOptions) =>
      requests.list<t.DealActivity>('/activities', query, options),
  };
}

export function stagesOf(requests: Requests) {
  return {
    /** All of them, in the order of the pipeline. */
    list: (options?: CallOptions) => requests.data<t.Stage[]>('GET', '/stages', undefined, options),
  };
}

export function usersOf(requests: Requests) {
  const path = (id: string, more: string) => `/users/${part(id)}/${more}`;
  return {
    /** `create` invites. */
    ...collection<t.UserKind>(requests, 'users'),
    /** Deactivates; removes for good with `permanent`. */
    delete: (id: string, { permanent, ...options }: WriteOptions & { permanent?: boolean } = {}) =>
      requests.data<void>('DELETE', `/users/${part(id)}${queryText({ permanent })}`, undefined, options),
    /** The user that the client acts for. */
    me: (options?: CallOptions) => requests.data<t.UserKind['one']>('GET', '/users/me', undefined, options),
    stats: (id: string, query: t.StatisticsQuery = {}, options?: CallOptions) =>
      requests.data<t.Statistics>('GET', path(id, 'stats') + queryText(query), undefined, options),
    metrics: (id: string, query: t.MetricsQuery = {}, options?: CallOptions) =>
      requests.data<t.Statistics>('GET', path(id, 'metrics') + queryText(query), undefined, options),
  };
}

export function invitationsOf(requests: Requests) {
  return {
    create: (invitation: t.NewInvitation, options?: WriteOptions) =>
      requests.data<t.Invitation>('POST', '/invitations', invitation, options),
    list: (query?: t.InvitationQuery, options?: CallOptions) =>
      requests.list<t.Invitation>('/invitations', query, options),
    resend: (id: string, options?: WriteOptions) =>
      requests.data<t.Invitation>('POST', `/invitations/${part(id)}/resend`, undefined, options),
    revoke: removal(requests, 'invitations'),
  };
}

export function teamsOf(requests: Requests) {
  const members = (id: string) => `/teams/${part(id)}/members`;
  return {
    ...collection<t.TeamKind>(requests, 'teams'),
    listMembers: (id: string, query?: t.MemberQuery, options?: CallOptions) =>
      requests.list<t.Member>(members(id), query, options),
    addMember: (id: string, member: t.NewMember, options?: WriteOptions) =>
      requests.data<t.TeamKind['made']>('POST', members(id), member, options),
    removeMember: (id: string, userId: string, options?: WriteOptions) =>
      requests.data<void>('DELETE', `${members(id)}/${part(userId)}`, undefined, options),
  };
}

export function webhooksOf(requests: Requests) {
  const path = (id: string, more: string) => `/webhooks/${part(id)}/${more}`;
  return {
    ...collection<t.WebhookKind>(requests, 'webhooks'),
    delete: removal(requests, 'webhooks'),
    /** Sends `webhook.test` to it alone. */
    test: (id: string, options?: WriteOptions) =>
      requests.data<t.Delivery>('POST', path(id, 'test'), undefined, options),
    listDeliveries: (id: string, query?: t.DeliveryQuery, options?: CallOptions) =>
      requests.list<t.Delivery>(path(id, 'deliveries'), query, options),
    /** Sends a delivery again. */
    replay: (id: string, deliveryId: string, options?: WriteOptions) =>
      requests.data<t.Delivery>(
        'POST',
        path(id, `deliveries/${part(deliveryId)}/replay`),
        undefined,
        options,
      ),
  };
}
