// What is known of RD Station CRM's API v2, as of November 2026. Each fact is
// [documented] by RD (developers.rdstation.com/reference/crm-v2-...), [observed] in public programs that run, or [unconfirmed]. Members of
// resources are in `schemas.ts`, all documented.
import type { RecordKind } from '../crm.ts';

/** [documented] 120 requests a minute for each account. 60 % of them: twelve at once, and sixty in the minute that follows. */
export const PACING = { intervalMs: 1000, burst: 12 };

/** [documented] */
export const BASE_URL = 'https://api.rd.services/crm/v2';
/** [documented] */
export const AUTHORIZE_URL = 'https://accounts.rdstation.com/oauth/authorize';
/** [documented] */
export const TOKEN_URL = 'https://api.rd.services/oauth2/token';

/** [observed] up to 100; the documented default is 20 or 25. */
export const PAGE_SIZE = 100;

/** Lists that are empty where an account has none (404). */
export const OPTIONAL_PATHS: readonly string[] = ['/lost_reasons', '/custom_fields'];

/** [documented] Lists of contacts, deals and organizations end after as many records. [unconfirmed] for tasks. */
export const MAX_LISTED = 10_000;

export const SORTS = ['created_at', 'updated_at', 'completed_at'] as const;
interface Listed {
  path: string;
  /** The member by which pages follow each other. */
  sortedBy: (typeof SORTS)[number];
  /** If RD refuses or ignores the other, and its filters. [observed] for contacts. */
  orSortedBy?: (typeof SORTS)[number];
}

/**
 * [documented] Deals are sorted by `updated_at` and filtered by it. Contacts are filtered by `updated_at`, but not sorted by it. Tasks are
 * not filtered by `updated_at`, but both sorted and filtered by `completed_at`.
 */
export const LISTS: Readonly<Record<RecordKind, Listed>> = {
  lead: { path: '/contacts', sortedBy: 'created_at', orSortedBy: 'updated_at' },
  deal: { path: '/deals', sortedBy: 'updated_at' },
  activity: { path: '/tasks', sortedBy: 'completed_at', orSortedBy: 'updated_at' },
};

/** [documented] Filters of RDQL take times without fractions of a second. [unconfirmed] They are in UTC, as all times of the API. */
export const rdqlTime = (iso: string): string => `"${iso.slice(0, 19).replace('T', ' ')}"`;

/** [documented] The fourth is `paused`, which is open here. Deals can only be created as `ongoing`. */
export const STATUS = { open: 'ongoing', won: 'won', lost: 'lost' } as const;

/** [documented] */
export const TASK_TYPES = ['call', 'email', 'meeting', 'task', 'lunch', 'visit', 'whatsapp'] as const;
export const DONE = 'completed';
/** Prefix of types of activities. */
export const TASK = 'task:';

/** [documented] Types of phone numbers: work, fax, home, mobile. [unconfirmed] whether one is required. */
export const NEW_PHONE_TYPE = 'mobile';

/** [documented] Names of entities of custom fields. */
export const ENTITY = { lead: 'contact', deal: 'deal' } as const;

/** [documented] Options of these types are their labels; others are texts and dates. */
export const ONE_OPTION = 'option';
export const SEVERAL_OPTIONS = 'multiple_choice';
export const DATE = 'date';
/** [unconfirmed] The documents name no type of numbers. */
export const NUMBERS: readonly string[] = ['number', 'currency'];

/**
 * Members that name the event of a webhook: [documented] `event_name`, [observed] `event_type`. [unconfirmed] whether one of them is refused
 * or ignored, so these forms are tried in order.
 */
export const EVENT_MEMBERS = [['event_name', 'event_type'], ['event_name'], ['event_type']] as const;

/** [documented] Events of webhooks. */
export const WEBHOOK_EVENTS = ['contact', 'deal', 'task'].flatMap((entity) =>
  ['created', 'updated', 'deleted'].map((change) => `crm_${entity}_${change}`),
);
export const EVENT = /^(?:crm_)?(contact|deal|task)_(?:created|updated|deleted)$/;
export const KIND_OF: Readonly<Record<string, RecordKind>> = {
  contact: 'lead',
  deal: 'deal',
  task: 'activity',
};

/** [observed] RD sends `auth_key` in the header that `auth_header` names. Neither is returned when webhooks are listed. */
export const AUTH_HEADER = 'x-placar-secret';

/** [documented] Other states are `suspended` and `inactive`. */
export const ACTIVE_WEBHOOK = 'active';

/**
 * [unconfirmed] No operation returns the account's id. Ids of users are unique among all accounts (they are MongoDB's) and users are
 * deactivated instead of deleted, so the account is known by its first user, and by the time when that user was added.
 */
export function accountId(users: readonly { id: string; created_at: string | null }[]): string | undefined {
  const identities = users.map(({ id, created_at }) => `${created_at ?? ''} ${id}`.trim());
  return identities.sort()[0];
}
