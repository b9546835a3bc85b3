import type { Fragment, Sql } from '../platform/db/database.ts';

/** For the sweep: who waits to be counted and has no job gets one, and no recount waits for the next sweep. */
export const scheduleMissedRecounts = (sql: Sql): Fragment => sql`select app.schedule_missed_recounts()`;
