// The kinds of records, and the methods of each in addition to create, get, list and update.
import { feedOf } from '../core/feeds.ts';
import type { CallOptions } from '../core/options.ts';
import { part, queryText } from '../core/pages.ts';
import {
  type AdminOptions,
  batchOf,
  collection,
  deleteMethod,
  externalIdMethods,
  type Requests,
  type WriteOptions,
} from './requests.ts';
import type * as t from './types.ts';

export function leadsOf<V extends t.Variant>(requests: Requests) {
  return {
    ...collection<t.LeadKind<V>>(requests, 'leads'),
    ...externalIdMethods<t.LeadKind<V>>(requests, 'leads'),
    ...batchOf<t.LeadKind<V>>(requests, 'leads'),
    delete: deleteMethod(requests, 'leads'),
    /** Converts the lead to a deal. */
    convert: (id: string, conversion?: t.Conversion<V>, options?: WriteOptions) =>
      requests.data<t.Converted<V>>('POST', `/leads/${part(id)}/convert`, conversion ?? {}, options),
    /** Merges the loser into the lead. This cannot be undone. */
    merge: (id: string, loserId: string, options?: WriteOptions) =>
      requests.data<t.Lead<V>>('POST', `/leads/${part(id)}/merge`, { loser_id: loserId }, options),
    listActivities: (id: string, query?: t.ActivityQuery<V>, options?: CallOptions) =>
      requests.list<t.DealActivity<V>>(`/leads/${part(id)}/activities`, query, options),
  };
}

/** Methods of deals, for both of their paths. `R` is the response type. */
function dealMethods<V extends t.Variant, R, Move, Closing>(requests: Requests, name: string) {
  const path = (id: string, more: string) => `/${name}/${part(id)}/${more}`;
  return {
    delete: deleteMethod(requests, name),
    /** Moves the deal to another stage. */
    move: (id: string, move: Move, options?: WriteOptions) =>
      requests.data<R>('POST', path(id, 'move'), move, options),
    /** Closes the deal as won or lost. */
    close: (id: string, closing: Closing, options?: WriteOptions) =>
      requests.data<R>('POST', path(id, 'close'), closing, options),
    listActivities: (id: string, query?: t.ActivityQuery<V>, options?: CallOptions) =>
      requests.list<t.DealActivity<V>>(path(id, 'activities'), query, options),
    createActivity: (id: string, activity: t.NewDealActivity<V>, options?: WriteOptions) =>
      requests.data<t.DealActivity<V>>('POST', path(id, 'activities'), activity, options),
  };
}

export function dealsOf<V extends t.Variant>(requests: Requests) {
  const name = 'deals';
  return {
    ...collection<t.DealKind<V>>(requests, name),
    ...externalIdMethods<t.DealKind<V>>(requests, name),
    ...batchOf<t.DealKind<V>>(requests, name),
    ...dealMethods<V, t.Deal<V>, t.Move<V>, t.Closing<V>>(requests, name),
  };
}

export function opportunitiesOf<V extends t.Variant>(requests: Requests) {
  const name = 'opportunities';
  return {
    ...collection<t.OpportunityKind<V>>(requests, name),
    ...externalIdMethods<t.OpportunityKind<V>>(requests, name),
    ...batchOf<t.OpportunityKind<V>>(requests, name),
    ...dealMethods<V, t.Opportunity<V>, t.OpportunityMove<V>, t.OpportunityClosing<V>>(requests, name),
  };
}

export function dealActivitiesOf<V extends t.Variant>(requests: Requests) {
  return {
    ...batchOf<t.ActivityKind<V>>(requests, 'activities'),
    create: (activity: t.NewDealActivity<V>, options?: WriteOptions) =>
      requests.data<t.DealActivity<V>>('POST', '/activities', activity, options),
    list: (query?: t.ActivityQuery<V>, options?: CallOptions) =>
      requests.list<t.DealActivity<V>>('/activities', query, options),
  };
}

export function stagesOf<V extends t.Variant>(requests: Requests) {
  return {
    /** All stages in pipeline order. */
    list: (options?: CallOptions) => requests.data<t.Stage<V>[]>('GET', '/stages', undefined, options),
  };
}

export function usersOf<V extends t.Variant>(requests: Requests) {
  const path = (id: string, more: string) => `/users/${part(id)}/${more}`;
  return {
    /** `create` invites the user. */
    ...collection<t.UserKind<V>>(requests, 'users'),
    ...externalIdMethods<t.UserKind<V>>(requests, 'users'),
    /** Deactivates the user, or deletes it with `permanent`. */
    delete: (id: string, { permanent, ...options }: WriteOptions & { permanent?: boolean } = {}) =>
      requests.data<void>('DELETE', `/users/${part(id)}${queryText({ permanent })}`, undefined, options),
    /** The user that the client acts for. */
    me: (options?: CallOptions) =>
      requests.data<t.UserKind<V>['one']>('GET', '/users/me', undefined, options),
    stats: (id: string, query?: t.StatisticsQuery<V>, options?: CallOptions) =>
      requests.data<t.Statistics<V>>('GET', path(id, 'stats') + queryText(query ?? {}), undefined, options),
    metrics: (id: string, query?: t.MetricsQuery<V>, options?: CallOptions) =>
      requests.data<t.Statistics<V>>('GET', path(id, 'metrics') + queryText(query ?? {}), undefined, options),
    /** Ledger entries, newest first. Their sum is `total_points`. */
    listPoints: (id: string, query?: t.PointQuery, options?: CallOptions) =>
      requests.list<t.PointEntry>(path(id, 'points'), query, options),
    listBadges: (id: string, query?: t.BadgeOfUserQuery, options?: CallOptions) =>
      requests.list<t.BadgeOfUser>(path(id, 'badges'), query, options),
  };
}

/** Users and collaborators ranked by the points of a period. */
export function standingsOf(requests: Requests) {
  return {
    list: (query?: Omit<t.StandingsQuery, 'around'>, options?: CallOptions) =>
      requests.list<t.Standing>('/standings', query, options),
    /** The rows around a user, `per_page` in total. */
    around: (
      userId: string,
      query: Omit<t.StandingsQuery, 'around' | 'page'> = {},
      options?: CallOptions,
    ): Promise<t.Standing[]> =>
      requests.data('GET', `/standings${queryText({ ...query, around: userId })}`, undefined, options),
  };
}

/** Read-only lists. */
export function gamificationOf(requests: Requests) {
  return {
    missions: {
      list: (query?: t.MissionQuery, options?: CallOptions) =>
        requests.list<t.Mission>('/missions', query, options),
    },
    seasons: {
      list: (query?: t.SeasonQuery, options?: CallOptions) =>
        requests.list<t.Season>('/seasons', query, options),
    },
    badges: {
      list: (query?: t.BadgeQuery, options?: CallOptions) =>
        requests.list<t.Badge>('/badges', query, options),
    },
    /** With the progress of all users, or of the user `user_id`. */
    challenges: {
      list: (query?: t.ChallengeQuery, options?: CallOptions) =>
        requests.list<t.Challenge>('/challenges', query, options),
    },
  };
}

export function invitationsOf<V extends t.Variant>(requests: Requests) {
  return {
    create: (invitation: t.NewInvitation<V>, options?: WriteOptions) =>
      requests.data<t.Invitation<V>>('POST', '/invitations', invitation, options),
    list: (query?: t.InvitationQuery<V>, options?: CallOptions) =>
      requests.list<t.Invitation<V>>('/invitations', query, options),
    resend: (id: string, options?: WriteOptions) =>
      requests.data<t.Invitation<V>>('POST', `/invitations/${part(id)}/resend`, undefined, options),
    revoke: deleteMethod(requests, 'invitations'),
  };
}

export function teamsOf<V extends t.Variant>(requests: Requests) {
  const members = (id: string) => `/teams/${part(id)}/members`;
  return {
    ...collection<t.TeamKind<V>>(requests, 'teams'),
    listMembers: (id: string, query?: t.MemberQuery<V>, options?: CallOptions) =>
      requests.list<t.Member<V>>(members(id), query, options),
    addMember: (id: string, member: t.NewMember<V>, options?: WriteOptions) =>
      requests.data<t.TeamKind<V>['made']>('POST', members(id), member, options),
    removeMember: (id: string, userId: string, options?: WriteOptions) =>
      requests.data<void>('DELETE', `${members(id)}/${part(userId)}`, undefined, options),
  };
}

export function webhooksOf<V extends t.Variant>(requests: Requests) {
  const path = (id: string, more: string) => `/webhooks/${part(id)}/${more}`;
  return {
    ...collection<t.WebhookKind<V>>(requests, 'webhooks'),
    delete: deleteMethod(requests, 'webhooks'),
    /** Holds new events back, for up to 30 days, until `resume`. */
    pause: (id: string, options?: WriteOptions) =>
      requests.data<t.Webhook<V>>('POST', path(id, 'pause'), undefined, options),
    /** Resumes deliveries, including the events that were held back. */
    resume: (id: string, options?: WriteOptions) =>
      requests.data<t.Webhook<V>>('POST', path(id, 'resume'), undefined, options),
    /** The key set that verifies deliveries, for libraries that need a JWKS; `public_key` is the same key. */
    keys: (id: string, options?: CallOptions) => requests.plain<t.KeySet>('GET', path(id, 'keys'), options),
    /** Sends `webhook.test` to this webhook only. */
    test: (id: string, options?: WriteOptions) =>
      requests.data<t.Delivery<V>>('POST', path(id, 'test'), undefined, options),
    /** Sends all deliveries of a period, or all failed ones, again with their original ids. */
    replayAll: (id: string, what: t.ReplayRequest, options?: WriteOptions) =>
      requests.data<t.Replay>('POST', path(id, 'replay'), what, options),
    /** Progress of a replay. */
    getReplay: (id: string, replayId: string, options?: CallOptions) =>
      requests.data<t.Replay>('GET', path(id, `replays/${part(replayId)}`), undefined, options),
    listDeliveries: (id: string, query?: t.DeliveryQuery<V>, options?: CallOptions) =>
      requests.list<t.Delivery<V>>(path(id, 'deliveries'), query, options),
    getDelivery: (id: string, deliveryId: string, options?: CallOptions) =>
      requests.data<t.Delivery<V>>('GET', path(id, `deliveries/${part(deliveryId)}`), undefined, options),
    /** Sends a delivery again. */
    replay: (id: string, deliveryId: string, options?: WriteOptions) =>
      requests.data<t.Delivery<V>>(
        'POST',
        path(id, `deliveries/${part(deliveryId)}/replay`),
        undefined,
        options,
      ),
  };
}

/** The events that webhooks push, for polling. */
export function eventsOf<V extends t.Variant>(requests: Requests) {
  return feedOf<t.FeedEvent<V>, t.EventQuery<V>>((query, options) => requests.feed(query, options));
}

/** Any operation of the admin API. Paths are those below `/v1/admin`, such as `/missions`. */
export function adminOf(requests: Requests) {
  const below = (path: string) => `/admin/${path.replace(/^\//, '')}`;
  return {
    /** `data` of the response; undefined for DELETE. POST is executed once, whatever the retries. */
    request: <Data = Record<string, unknown>>(
      method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
      path: string,
      body?: unknown,
      options?: AdminOptions,
    ) => requests.data<Data>(method, below(path), body, options),
    /** A list with all its pages, also of `/requests` and `/changes`. */
    list: <Item = Record<string, unknown>>(path: string, query?: object, options?: CallOptions) =>
      requests.list<Item>(below(path), query, options),
  };
}
