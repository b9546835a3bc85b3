// Rows of auth.users, and the user object of Supabase Auth.
import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { AuthError, emailExists, userNotFound } from './errors.ts';
import { createIdentity, type IdentityRow, toIdentity } from './identities.ts';

type Metadata = Record<string, postgres.JSONValue>;

/** The columns of `auth.users` that the emulator reads. */
export interface UserRow {
  id: string;
  aud: string;
  role: string;
  email: string | null;
  phone: string | null;
  encrypted_password: string | null;
  email_confirmed_at: Date | null;
  confirmed_at: Date | null;
  invited_at: Date | null;
  confirmation_token: string | null;
  confirmation_sent_at: Date | null;
  recovery_token: string | null;
  recovery_sent_at: Date | null;
  last_sign_in_at: Date | null;
  banned_until: Date | null;
  created_at: Date;
  updated_at: Date;
  raw_app_meta_data: Metadata | null;
  raw_user_meta_data: Metadata | null;
  is_anonymous: boolean;
  is_sso_user: boolean;
}

/** The columns of `auth.users` that the emulator writes. */
export type UserChange = Partial<
  Pick<
    UserRow,
    | 'banned_until'
    | 'confirmation_sent_at'
    | 'confirmation_token'
    | 'email'
    | 'email_confirmed_at'
    | 'encrypted_password'
    | 'invited_at'
    | 'last_sign_in_at'
    | 'raw_app_meta_data'
    | 'raw_user_meta_data'
    | 'recovery_sent_at'
    | 'recovery_token'
  >
>;

/** A factor as rendered. */
interface FactorRow {
  id: string;
  created_at: Date;
  updated_at: Date;
  status: 'verified' | 'unverified';
  friendly_name: string | null;
  factor_type: string;
  phone: string | null;
  last_challenged_at: Date | null;
}

/** Renders a user as JSON, with identities and factors. Omits unset times. */
export async function renderUser(sql: postgres.ISql, row: UserRow) {
  const identities = await sql<IdentityRow[]>`
    select * from auth.identities where user_id = ${row.id} order by created_at`;
  const factors = await sql<FactorRow[]>`
    select id, created_at, updated_at, status, friendly_name, factor_type, phone, last_challenged_at
      from auth.mfa_factors where user_id = ${row.id} order by created_at`;
  return {
    id: row.id,
    aud: row.aud,
    role: row.role,
    email: row.email ?? '',
    phone: row.phone ?? '',
    email_confirmed_at: row.email_confirmed_at ?? undefined,
    confirmed_at: row.confirmed_at ?? undefined,
    invited_at: row.invited_at ?? undefined,
    confirmation_sent_at: row.confirmation_sent_at ?? undefined,
    recovery_sent_at: row.recovery_sent_at ?? undefined,
    last_sign_in_at: row.last_sign_in_at ?? undefined,
    banned_until: row.banned_until ?? undefined,
    app_metadata: row.raw_app_meta_data ?? {},
    user_metadata: row.raw_user_meta_data ?? {},
    factors:
      factors.length > 0
        ? factors.map((factor) => ({
            ...factor,
            friendly_name: factor.friendly_name || undefined,
            phone: factor.phone ?? '',
          }))
        : undefined,
    identities: identities.map(toIdentity),
    created_at: row.created_at,
    updated_at: row.updated_at,
    is_anonymous: row.is_anonymous,
  };
}

/** Whether the user is currently banned. */
export const isBanned = (row: UserRow) => row.banned_until !== null && row.banned_until > new Date();

/** Throws 403 `user_banned`, or with the given status. */
export function rejectBanned(row: UserRow, status: 400 | 403 = 403): void {
  if (isBanned(row)) throw new AuthError(status, 'user_banned', 'User is banned');
}

/** Queries over `auth.users`. `sql` may be a transaction. */
export function createUsers(sql: postgres.ISql) {
  const users = {
    async findByEmail(email: string): Promise<UserRow | undefined> {
      const [row] = await sql<UserRow[]>`
        select * from auth.users where email = ${email} and not is_sso_user and deleted_at is null`;
      return row;
    },

    async findById(id: string): Promise<UserRow | undefined> {
      const [row] = await sql<UserRow[]>`select * from auth.users where id = ${id} and deleted_at is null`;
      return row;
    },

    /** Creates a user with an unconfirmed address, and its identity. Throws 422 `email_exists`. */
    async create(email: string, metadata: Metadata = {}): Promise<UserRow> {
      const user = {
        instance_id: '00000000-0000-0000-0000-000000000000',
        id: randomUUID(),
        aud: 'authenticated',
        role: 'authenticated',
        email,
        encrypted_password: '',
        confirmation_token: '',
        recovery_token: '',
        email_change_token_new: '',
        email_change: '',
        raw_app_meta_data: { provider: 'email', providers: ['email'] },
        raw_user_meta_data: metadata,
        created_at: new Date(),
        updated_at: new Date(),
      };
      try {
        const [row] = await sql<UserRow[]>`insert into auth.users ${sql(user)} returning *`;
        await createIdentity(sql, user.id, email);
        return row ?? users.update(user.id, {});
      } catch (error) {
        throw error instanceof postgres.PostgresError && error.code === '23505' ? emailExists() : error;
      }
    },

    /** Throws 404 `user_not_found`. */
    async update(id: string, change: UserChange): Promise<UserRow> {
      const [row] = await sql<UserRow[]>`
        update auth.users set ${sql({ ...change, updated_at: new Date() })} where id = ${id} returning *`;
      if (!row) throw userNotFound();
      return row;
    },

    /** Confirms the address and ends all links and codes. */
    async confirm(row: UserRow): Promise<UserRow> {
      await sql`delete from auth.one_time_tokens where user_id = ${row.id}`;
      return users.update(row.id, {
        confirmation_token: '',
        email_confirmed_at: new Date(),
        raw_user_meta_data: { ...row.raw_user_meta_data, email_verified: true },
      });
    },

    /** Throws 404 `user_not_found`. */
    async delete(id: string): Promise<void> {
      const [row] = await sql`delete from auth.users where id = ${id} returning id`;
      if (!row) throw userNotFound();
    },
  };
  return users;
}
