// What users have to do with Supabase Auth, each call a due row: the rows of users say what is wanted, Auth is made to
// follow, again and again until it does. Which accounts are touched at all is for the database to say.
import type { SupabaseClient } from '@supabase/supabase-js';
import { z } from 'zod';
import { WORKER_SESSION } from '../../platform/db/database.ts';
import type { Env } from '../../platform/env.ts';
import { defineJob, type JobHandler } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { createSupabase } from '../../platform/supabase.ts';
import { claimInvitation, mailInvitation } from '../invitations/queries.ts';
import { type AuthTask, claimAuthTask } from './queries.ts';

const LEASE_SECONDS = 60;
/** Changes of a user that come while Auth is called; more than these wait for the next try. */
const MAX_ROUNDS = 5;

function createAdmin(env: Env<'storage'>) {
  const supabase = createSupabase(env);
  return async () => (await supabase()).auth.admin;
}

export function createSendInvitation(env: Env<'storage' | 'qstash'>): JobHandler {
  const admin = createAdmin(env);
  return defineJob({
    name: 'send-invitation',
    payload: z.object({ invitation_id: z.string(), invited_at: z.string().nullable().default(null) }),
    leaseSeconds: LEASE_SECONDS,
    async run({ invitation_id: id, invited_at: invitedAt }, _job, dependencies) {
      const [claimed] = await dependencies.database.transaction(WORKER_SESSION, (sql) =>
        claimInvitation(sql, id, invitedAt),
      );
      if (!claimed) return 'done';
      if (claimed.wait_until) return { againAt: claimed.wait_until };
      if (claimed.by_auth) {
        const { error } = await (await admin()).inviteUserByEmail(claimed.email);
        if (error) throw error;
        return 'done';
      }
      const url = `${env.FUNCTIONS_URL}/v1/invitations/accept`;
      await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => mailInvitation(sql, id, url));
      return 'done';
    },
  });
}

export function createSyncAuthUser(env: Env<'storage'>): JobHandler {
  const admin = createAdmin(env);
  return defineJob({
    name: 'sync-auth-user',
    payload: z.object({ email: z.string(), auth_user_id: z.string().nullable() }),
    leaseSeconds: LEASE_SECONDS,
    async run({ email, auth_user_id: accountId }, _job, { database }) {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const [next] = await database.transaction(WORKER_SESSION, (sql) =>
          claimAuthTask(sql, email, accountId),
        );
        if (!next) return 'done';
        if (next.act === 'wait') return { againAt: next.again_at };
        const { error } = await perform(await admin(), next);
        if (error && error.status !== 404) throw error;
      }
      throw new Error('the user changes faster than Auth follows');
    },
  });
}

function perform(auth: SupabaseClient['auth']['admin'], next: Exclude<AuthTask, { act: 'wait' }>) {
  if (next.act === 'delete') return auth.deleteUser(next.id);
  // GoTrue has no ban without an end.
  return auth.updateUserById(next.id, { ban_duration: next.act === 'ban' ? `${next.ban_seconds}s` : 'none' });
}
