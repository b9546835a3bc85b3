// Rows of auth.users, and the user object of Supabase Auth.
import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { emailExists, userNotFound } from './errors.ts';

/** The columns of `auth.users` that the emulator reads. */
export interface UserRow {
  id: string;
  aud: string;
  role: string;
  email: string | null;
  email_confirmed_at: Date | null;
  confirmed_at: Date | null;
  invited_at: Date | null;
  confirmation_sent_at: Date | null;
  last_sign_in_at: Date | null;
  banned_until: Date | null;
  created_at: Date;
  updated_at: Date;
  raw_app_meta_data: Record<string, postgres.JSONValue> | null;
  raw_user_meta_data: Record<string, postgres.JSONValue> | null;
  is_anonymous: boolean;
}

/** The columns of `auth.users` that the emulator writes. */
export type UserChange = Partial<
  Pick<UserRow, 'banned_until' | 'confirmation_sent_at' | 'invited_at'> & { confirmation_token: string }
>;

/** Renders a user as JSON. Omits unset times. */
export function toUser(row: UserRow) {
  return {
    id: row.id,
    aud: row.aud,
    role: row.role,
    email: row.email ?? '',
    phone: '',
    email_confirmed_at: row.email_confirmed_at ?? undefined,
    confirmed_at: row.confirmed_at ?? undefined,
    invited_at: row.invited_at ?? undefined,
    confirmation_sent_at: row.confirmation_sent_at ?? undefined,
    last_sign_in_at: row.last_sign_in_at ?? undefined,
    banned_until: row.banned_until ?? undefined,
    app_metadata: row.raw_app_meta_data ?? {},
    user_metadata: row.raw_user_meta_data ?? {},
    identities: [],
    created_at: row.created_at,
    updated_at: row.updated_at,
    is_anonymous: row.is_anonymous,
  };
}

/** Whether the user is currently banned. */
export const isBanned = (row: UserRow) => row.banned_until !== null && row.banned_until > new Date();

/** Queries over `auth.users`. `sql` may be a transaction. */
export function createUsers(sql: postgres.ISql) {
  return {
    async findByEmail(email: string): Promise<UserRow | undefined> {
      const [row] = await sql<UserRow[]>`
        select * from auth.users where email = ${email} and not is_sso_user and deleted_at is null`;
      return row;
    },

    /** Throws 422 `email_exists`. */
    async create(email: string): Promise<{ id: string }> {
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
        raw_user_meta_data: {},
        created_at: new Date(),
        updated_at: new Date(),
      };
      try {
        await sql`insert into auth.users ${sql(user)}`;
      } catch (error) {
        throw error instanceof postgres.PostgresError && error.code === '23505' ? emailExists() : error;
      }
      return user;
    },

    /** Throws 404 `user_not_found`. */
    async update(id: string, change: UserChange): Promise<UserRow> {
      const [row] = await sql<UserRow[]>`
        update auth.users set ${sql({ ...change, updated_at: new Date() })} where id = ${id} returning *`;
      if (!row) throw userNotFound();
      return row;
    },

    /** Throws 404 `user_not_found`. */
    async delete(id: string): Promise<void> {
      const [row] = await sql`delete from auth.users where id = ${id} returning id`;
      if (!row) throw userNotFound();
    },
  };
}
