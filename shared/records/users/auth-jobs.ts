// What users have to do with Supabase Auth, each call a due row: the rows of users say what is wanted, Auth is made to
// follow, again and again until it does.
import { z } from 'zod';
import type { Env } from '../../platform/env.ts';
import { defineJob, type JobHandler } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { createSupabase } from '../../platform/supabase.ts';

const LEASE_SECONDS = 60;
/** Changes of a user that come while Auth is called; more than these wait for the next try. */
const MAX_ROUNDS = 5;
/** A hundred years: GoTrue has no ban without an end. */
const FOREVER = '876000h';
const session = { role: 'worker', tenantId: null } as const;

export function createAuthJobs(env: Env<'storage' | 'qstash'>): JobHandler[] {
  const supabase = createSupabase(env);
  const admin = async () => (await supabase()).auth.admin;

  const sendInvitation = defineJob({
    name: 'send-invitation',
    payload: z.object({ invitation_id: z.string() }),
    leaseSeconds: LEASE_SECONDS,
    async run({ invitation_id: id }, _job, dependencies) {
      const [rows] = await dependencies.database.transaction(session, (sql) => [
        sql`select email, by_auth from app.claim_invitation(${id})`,
      ]);
      const row = rows?.[0] as { email: string; by_auth: boolean } | undefined;
      if (!row) return 'done';
      if (row.by_auth) {
        const { error } = await (await admin()).inviteUserByEmail(row.email);
        if (error) throw error;
        return 'done';
      }
      const url = `${env.FUNCTIONS_URL}/v1/invitations/accept`;
      await transactionWithJobs(dependencies, session, (sql) => [
        sql`select app.mail_invitation(${id}, ${url})`,
      ]);
      return 'done';
    },
  });

  const syncAuthUser = defineJob({
    name: 'sync-auth-user',
    payload: z.object({ email: z.string() }),
    leaseSeconds: LEASE_SECONDS,
    async run({ email }, _job, { database }) {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const [rows] = await database.transaction(session, (sql) => [
          sql`select auth_user_id as id, banned, wanted from app.auth_user_state(${email})`,
        ]);
        const state = rows?.[0] as { id: string; banned: boolean; wanted: string } | undefined;
        if (!state || state.wanted === (state.banned ? 'banned' : 'let_in')) return 'done';
        const auth = await admin();
        const { error } =
          state.wanted === 'deleted'
            ? await auth.deleteUser(state.id)
            : await auth.updateUserById(state.id, {
                ban_duration: state.wanted === 'banned' ? FOREVER : 'none',
              });
        if (error && error.status !== 404) throw error;
      }
      throw new Error('the user changes faster than Auth follows');
    },
  });

  return [sendInvitation, syncAuthUser];
}
