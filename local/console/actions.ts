// Routes of the console's buttons.
import { Hono } from 'hono';
import { setCookie } from 'hono/cookie';
import { LANGUAGE_COOKIE, t } from '../../clients/console/kit/language.ts';
import { announceJobs } from './announce-jobs.ts';
import { ActionRefused } from './refusal.ts';
import { TENANT_COOKIE } from './tenants.ts';
import type { ConsoleOptions } from './view.ts';

/** Only paths of the console: `//` would redirect to another host. */
const ownPath = (path: unknown, pattern: RegExp): string =>
  typeof path === 'string' && pattern.test(path) ? path : '/';

export function createActions(options: ConsoleOptions): Hono {
  const { sql } = options;
  const app = new Hono();

  app.post('/events/deliveries/:id/replay', async (c) => {
    const id = c.req.param('id');
    await sql`select admin.replay_delivery(${id})`.catch((error: unknown) => {
      throw new ActionRefused(error instanceof Error ? error.message : String(error));
    });
    await announceJobs(options);
    return c.redirect(`/events/deliveries/${id}?notice=replayed`, 303);
  });

  app.post('/jobs/:id/retry', async (c) => {
    const id = c.req.param('id');
    const changed = await sql`
      update public.jobs set failed_at = null, failures = 0, due_at = now(), published_at = null
      where id::text = ${id} and finished_at is null and (locked_until is null or locked_until <= now())
      returning id`;
    if (changed.length === 0) throw new ActionRefused(t('The job is running, finished or deleted.'));
    await announceJobs(options);
    return c.redirect(`/jobs/${id}?notice=retried`, 303);
  });

  app.post('/console/tenant', async (c) => {
    const { tenant, path } = await c.req.parseBody();
    if (typeof tenant === 'string')
      setCookie(c, TENANT_COOKIE, tenant, { path: '/', httpOnly: true, sameSite: 'Strict' });
    // A record's page would not exist for the other tenant.
    return c.redirect(ownPath(path, /^\/[a-z]*$/), 303);
  });

  app.post('/console/language', async (c) => {
    const { language, path } = await c.req.parseBody();
    if (typeof language === 'string')
      setCookie(c, LANGUAGE_COOKIE, language, { path: '/', httpOnly: true, sameSite: 'Strict' });
    return c.redirect(ownPath(path, /^(\/[\w-]+)+$/), 303);
  });
  return app;
}
