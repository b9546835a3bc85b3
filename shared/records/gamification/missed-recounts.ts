import type { Fragment, Sql } from '../../platform/db/database.ts';

/** For the sweep: schedules missing recount jobs, and makes recounts that are due within two seconds due now. */
export const scheduleMissedRecounts = (sql: Sql): Fragment => sql`select app.schedule_missed_recounts()`;
