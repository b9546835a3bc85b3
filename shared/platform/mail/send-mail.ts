// The job that sends one email through QStash's email provider.
import { z } from 'zod';
import type { Env } from '../env.ts';
import { defineJob, JobFailure, type JobHandler } from '../jobs/job.ts';
import { languages, translate } from '../messages/translate.ts';
import { traceHeaders } from '../tracing/scope.ts';
import { mailNames, mails } from './mails.ts';

/** Creates the job handler. The job's id is the deduplication id, so that QStash does not accept the same email twice. */
export function createSendMailJob(env: Env<'qstash' | 'mail'>): JobHandler {
  const { RESEND_API_KEY: token, MAIL_FROM: from } = env;
  return defineJob({
    name: 'send-mail',
    payload: z.object({
      to: z.string().min(1),
      mail: z.enum(mailNames),
      language: z.enum(languages),
      values: z.record(z.string(), z.union([z.string(), z.number()])),
    }),
    leaseSeconds: 30,
    // The email may contain a login link.
    deletesPayload: true,
    async run({ to, mail, language, values }, job) {
      const { subject, text } = mails[mail];
      if (!token || !from)
        throw new JobFailure('Cannot send email: RESEND_API_KEY and MAIL_FROM are not set.');
      const { Client, resend } = await import('@upstash/qstash');
      const client = new Client({
        baseUrl: env.QSTASH_URL,
        token: env.QSTASH_TOKEN,
        retry: false,
        enableTelemetry: false,
      });
      await client.publishJSON({
        api: { name: 'email', provider: resend({ token }) },
        body: {
          from,
          to: [to],
          subject: translate(language, subject, values),
          text: translate(language, text, values),
        },
        deduplicationId: job.id,
        headers: { ...traceHeaders() },
      });
      return 'done';
    },
  });
}
