// The rows of auth.users, and the user object that Supabase Auth makes of one.
import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { emailExists, userNotFound } from './errors.ts';

/** The columns of `auth.users` that are read here. */
export interface UserRow {
  id: string;
  aud: string;
  role: string;
  email: string | null;
  phone: string | null;
  encrypted_password: string | null;
  email_confirmed_at: Date | null;
  phone_confirmed_at: Date | null;
  confirmed_at: Date | null;
  invited_at: Date | null;
  confirmation_sent_at: Date | null;
  recovery_sent_at: Date | null;
  last_sign_in_at: Date | null;
  banned_until: Date | null;
  deleted_at: Date | null;
  created_at: Date;
  updated_at: Date;
  raw_app_meta_data: Metadata | null;
  raw_user_meta_data: Metadata | null;
  is_anonymous: boolean;
}

export type Metadata = { [key: string]: postgres.JSONValue };

/** The columns of `auth.users` that are written here. */
export type UserChange = Partial<
  Omit<UserRow, 'id' | 'confirmed_at' | 'encrypted_password'> & {
    confirmation_token: string;
    recovery_token: string;
  }
> & {
  /** In clear; stored as bcrypt, as Supabase does. */
  password?: string | undefined;
};

/** The JSON of a user; times that are not set are left out. */
export function toUser(row: UserRow) {
  return {
    id: row.id,
    aud: row.aud,
    role: row.role,
    email: row.email ?? '',
    phone: row.phone ?? '',
    email_confirmed_at: row.email_confirmed_at ?? undefined,
    phone_confirmed_at: row.phone_confirmed_at ?? undefined,
    confirmed_at: row.confirmed_at ?? undefined,
    invited_at: row.invited_at ?? undefined,
    confirmation_sent_at: row.confirmation_sent_at ?? undefined,
    recovery_sent_at: row.recovery_sent_at ?? undefined,
    last_sign_in_at: row.last_sign_in_at ?? undefined,
    banned_until: row.banned_until ?? undefined,
    deleted_at: row.deleted_at ?? undefined,
    app_metadata: row.raw_app_meta_data ?? {},
    user_metadata: row.raw_user_meta_data ?? {},
    identities: [],
    created_at: row.created_at,
    updated_at: row.updated_at,
    is_anonymous: row.is_anonymous,
  };
}

/** Whether the user is barred from signing in at this moment. */
export const isBanned = (row: UserRow) => row.banned_until !== null && row.banned_until > new Date();

const isTaken = (error: unknown) => error instanceof postgres.PostgresError && error.code === '23505';

/** Queries over `auth.users`. `sql` may be a transaction. */
export function createUsers(sql: postgres.ISql) {
  const columns = ({ password: _password, ...change }: UserChange) => ({ ...change, updated_at: new Date() });
  const setPassword = async (id: string, password: string | undefined): Promise<void> => {
    if (password === undefined) return;
    await sql`
      update auth.users
         set encrypted_password = extensions.crypt(${password}, extensions.gen_salt('bf', 6))
       where id = ${id}`;
  };

  return {
    async find(id: string): Promise<UserRow> {
      const [row] = await sql<UserRow[]>`select * from auth.users where id = ${id}`;
      if (!row) throw userNotFound();
      return row;
    },

    async findByEmail(email: string): Promise<UserRow | undefined> {
      const [row] = await sql<UserRow[]>`
        select * from auth.users where email = ${email} and not is_sso_user and deleted_at is null`;
      return row;
    },

    async findByPassword(email: string, password: string): Promise<UserRow | undefined> {
      const [row] = await sql<UserRow[]>`
        select * from auth.users
         where email = ${email} and not is_sso_user and deleted_at is null
           and encrypted_password <> ''
           and encrypted_password = extensions.crypt(${password}, encrypted_password)`;
      return row;
    },

    /** Newest first; `page` counts from 1. */
    async list(page: number, perPage: number): Promise<{ rows: UserRow[]; total: number }> {
      const rows = await sql<UserRow[]>`
        select * from auth.users order by created_at desc, id limit ${perPage} offset ${(page - 1) * perPage}`;
      const [count] = await sql<{ total: number }[]>`select count(*)::int as total from auth.users`;
      return { rows, total: count?.total ?? 0 };
    },

    /** Throws 422 `email_exists`. */
    async create(change: UserChange, id: string = randomUUID()): Promise<UserRow> {
      const row = {
        instance_id: '00000000-0000-0000-0000-000000000000',
        id,
        aud: 'authenticated',
        role: 'authenticated',
        encrypted_password: '',
        confirmation_token: '',
        recovery_token: '',
        email_change_token_new: '',
        email_change: '',
        raw_user_meta_data: {},
        created_at: new Date(),
        ...columns(change),
        raw_app_meta_data: { provider: 'email', providers: ['email'], ...change.raw_app_meta_data },
      };
      try {
        await sql`insert into auth.users ${sql(row)}`;
      } catch (error) {
        throw isTaken(error) ? emailExists() : error;
      }
      await setPassword(id, change.password);
      return this.find(id);
    },

    /** Metadata given here is merged into what is there; a key set to null goes. Throws 404, 422 `email_exists`. */
    async update(id: string, change: UserChange): Promise<UserRow> {
      const before = await this.find(id);
      const merged = columns({ ...change });
      if (change.raw_user_meta_data) {
        merged.raw_user_meta_data = merge(before.raw_user_meta_data, change.raw_user_meta_data);
      }
      if (change.raw_app_meta_data) {
        merged.raw_app_meta_data = merge(before.raw_app_meta_data, change.raw_app_meta_data);
      }
      try {
        await sql`update auth.users set ${sql(merged)} where id = ${id}`;
      } catch (error) {
        throw isTaken(error) ? emailExists() : error;
      }
      await setPassword(id, change.password);
      return this.find(id);
    },

    async delete(id: string): Promise<void> {
      await sql`delete from auth.users where id = ${id}`;
    },
  };
}

export type Users = ReturnType<typeof createUsers>;

function merge(before: Metadata | null, change: Metadata): Metadata {
  const merged = { ...before, ...change };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}
