// Jobs that synchronize users with Supabase Auth: invitations, bans and deletions. The `users` table is the source of truth, jobs are
// retried until Auth matches it, and the database decides which Auth accounts they may change.
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
/** Auth calls per run. If the user still has pending changes after that, the job fails and is retried. */
const MAX_ROUNDS = 5;

function createAdmin(env: Env<'storage'>) {
  const supabase = createSupabase(env);
  return async () => (await supabase()).auth.admin;
}

export function createSendInvitationJob(env: Env<'storage' | 'qstash' | 'console'>): JobHandler {
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
        const { error } = await (await admin()).inviteUserByEmail(claimed.email, {
          // Auth's email template chooses its text by language.
          data: { language: claimed.language },
          ...(env.CONSOLE_URL !== undefined && { redirectTo: `${env.CONSOLE_URL}/sign-in` }),
        });
        if (error) throw error;
        return 'done';
      }
      const url = `${env.FUNCTIONS_URL}/v1/invitations/accept`;
      await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => mailInvitation(sql, id, url));
      return 'done';
    },
  });
}

export function createSyncAuthUserJob(env: Env<'storage'>): JobHandler {
  const admin = createAdmin(env);
  return defineJob({
    name: 'sync-auth-user',
    payload: z.object({ email: z.string(), auth_user_id: z.string().nullable() }),
    leaseSeconds: LEASE_SECONDS,
    async run({ email, auth_user_id: accountId }, _job, { database }) {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const [task] = await database.transaction(WORKER_SESSION, (sql) =>
          claimAuthTask(sql, email, accountId),
        );
        if (!task) return 'done';
        if (task.act === 'wait') return { againAt: task.again_at };
        const { error } = await perform(await admin(), task);
        if (error && error.status !== 404) throw error;
      }
      throw new Error('the user changes faster than Auth can be updated');
    },
  });
}

function perform(auth: SupabaseClient['auth']['admin'], task: Exclude<AuthTask, { act: 'wait' }>) {
  if (task.act === 'delete') return auth.deleteUser(task.id);
  // GoTrue has no permanent bans.
  return auth.updateUserById(task.id, { ban_duration: task.act === 'ban' ? `${task.ban_seconds}s` : 'none' });
}
