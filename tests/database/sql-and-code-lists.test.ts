// Facts that SQL and TypeScript both contain: the lists on both sides must be equal.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { crmForm } from '../../clients/console/resources/crm-forms.ts';
import { LOG_COLUMNS } from '../../clients/typescript/src/cli/tenant/log.ts';
import { crms } from '../../shared/connectors/registry.ts';
import { runPhases } from '../../shared/connectors/run-phases.ts';
import { invoiceTransitions } from '../../shared/payments/invoices/states.ts';
import { payoutTransitions } from '../../shared/payments/payouts/states.ts';
import { taxDocumentTransitions } from '../../shared/payments/tax-documents/states.ts';
import { ratesByCst } from '../../shared/payments/tax-documents/taxes.ts';
import { paymentsEventTypes } from '../../shared/payments/webhooks/event-types.ts';
import { apiKeyScopes, recordsScopes } from '../../shared/platform/access/scopes.ts';
import { sqlErrorCodes } from '../../shared/platform/db/sql-errors.ts';
import { MAX_FAILURES } from '../../shared/platform/jobs/retry-schedule.ts';
import { dealEvents, dealStatuses } from '../../shared/records/deals/states.ts';
import {
  gamificationEvents,
  metrics,
  pointReasons,
  pointRuleEvents,
} from '../../shared/records/gamification/states.ts';
import { invitationStatuses } from '../../shared/records/invitations/states.ts';
import { leadEvents, leadStatuses } from '../../shared/records/leads/states.ts';
import { userEvents, userStatuses } from '../../shared/records/users/states.ts';
import { MAX_FOLD_SECONDS } from '../../shared/webhooks/management/schema.ts';
import { connectDatabase } from '../support/database.ts';

const sql = connectDatabase();
const sorted = (words: Iterable<string>) => [...words].sort();

/** The values that a check constraint allows in a column. */
async function checkedWords(table: string, column = 'status'): Promise<string[]> {
  const [row] = await sql`
    select array(select m[1] from regexp_matches(pg_get_constraintdef(k.oid), '''([^'']+)''::text', 'g') as m) as words
    from pg_constraint k
    where k.conrelid = ${`public.${table}`}::regclass and k.conname = ${`${table}_${column}_check`}`;
  return sorted(row?.words ?? []);
}

test.each([
  ['leads', leadStatuses],
  ['deals', dealStatuses],
  ['users', userStatuses],
  // Expired invitations are only shown as expired: the row stays pending.
  ['invitations', invitationStatuses.filter((status) => status !== 'expired')],
  ['invoices', Object.keys(invoiceTransitions)],
  ['payouts', Object.keys(payoutTransitions)],
  ['tax_documents', Object.keys(taxDocumentTransitions)],
])('the states of %s match', async (table, states) => {
  expect(await checkedWords(table)).toEqual(sorted(states));
});

test('the state transitions of payments match', async () => {
  const [row] = await sql`select private.payment_transitions() as transitions`;
  const withoutFinal = (transitions: Record<string, readonly string[]>) =>
    Object.fromEntries(Object.entries(transitions).filter(([, next]) => next.length > 0));
  expect(row?.transitions).toEqual({
    invoices: withoutFinal(invoiceTransitions),
    payouts: withoutFinal(payoutTransitions),
    tax_documents: withoutFinal(taxDocumentTransitions),
  });
});

test('the CRMs match, and the console has a form for each', async () => {
  const rows = await sql`select name, title, is_authorized_in_browser from private.crms order by name`;
  expect(sorted(crms.map(({ name, title }) => `${name} ${title}`))).toEqual(
    rows.map(({ name, title }) => `${name} ${title}`),
  );
  for (const { name, title, is_authorized_in_browser } of rows) {
    const form = crmForm(name);
    expect([form?.title, form?.callbackText !== undefined]).toEqual([title, is_authorized_in_browser]);
  }
});

test('the own rates of PIS and COFINS for each situation match', async () => {
  const rows = await sql`
    select lpad(n::text, 2, '0') as cst, private.pis_cofins_rates(lpad(n::text, 2, '0')) as rates from generate_series(0, 99) as n`;
  const known = rows.filter(({ rates }) => rates !== null).map(({ cst, rates }) => [cst, rates]);
  expect(Object.fromEntries(known)).toEqual(ratesByCst);
});

test.each([
  ['payments', paymentsEventTypes],
  ['records', [...leadEvents, ...dealEvents, ...userEvents, ...gamificationEvents]],
])('the events of %s match', async (name, types) => {
  const [row] = await sql`select private.event_types(${name}) as types`;
  expect(sorted(row?.types)).toEqual(sorted(types));
});

test('the metrics, and the reasons of point entries match', async () => {
  const [row] = await sql`select private.metrics() as metrics, private.point_rule_events() as events`;
  expect(sorted(row?.metrics)).toEqual(sorted(metrics));
  expect(sorted(row?.events)).toEqual(sorted(pointRuleEvents));
  expect(await checkedWords('point_entries', 'reason')).toEqual(sorted(pointReasons));
});

test('the scopes of API keys and of OAuth clients match', async () => {
  const [row] = await sql`select private.api_key_scopes() as keys, private.oauth_scopes() as clients`;
  expect(sorted(row?.keys)).toEqual(sorted(apiKeyScopes));
  expect(sorted(row?.clients)).toEqual(sorted(recordsScopes));
});

test('every code that our SQL raises is known, and every known code is raised', async () => {
  const rows = await sql`
    select distinct m[1] as code
    from pg_proc p, regexp_matches(p.prosrc, 'errcode = ''(PL[0-9A-Z]{3})''', 'g') as m
    where p.pronamespace in ('app'::regnamespace, 'private'::regnamespace, 'admin'::regnamespace)`;
  expect(sorted(rows.map(({ code }) => code))).toEqual(
    sorted(Object.values(sqlErrorCodes).filter((code) => code.startsWith('PL'))),
  );
});

const docs = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const words: Record<number, string> = { 5: 'five', 10: 'ten' };

test('the failures that suspend and deactivate a webhook match in SQL, the email and the documents', async () => {
  const [row] = await sql`
    select private.failures_to_suspend() as suspend, private.failures_to_deactivate() as deactivate,
           pg_get_functiondef('private.mail_about_webhook'::regproc) as mail`;
  const [suspend, deactivate] = [words[row?.suspend], words[row?.deactivate]];
  expect(row?.mail).toContain('private.failures_to_deactivate()');
  const page = docs('webhooks-reference.md').toLowerCase();
  expect(page).toContain(`${suspend} failed attempts in a row, for any events, suspend`);
  expect(page).toContain(`${deactivate} failed attempts in a row, for any events, deactivate`);
  expect(docs('two-way-sync.md')).toContain(`failed ${deactivate} times in a row`);
});

test('the number of failures after which a job fails permanently matches', async () => {
  const [row] = await sql`
    select col_description('public.jobs'::regclass, a.attnum) as comment
    from pg_attribute a where a.attrelid = 'public.jobs'::regclass and a.attname = 'failures'`;
  expect(row?.comment).toContain(`fails permanently after ${words[MAX_FAILURES]}`);
  expect(docs('how-a-won-deal-becomes-points.md')).toContain(
    `after ${words[MAX_FAILURES]} failures in a row`,
  );
});

test('the time for which events of a burst are gathered matches', async () => {
  const [row] = await sql`
    select pg_get_constraintdef(oid) as rule from pg_constraint
    where conrelid = 'public.webhook_endpoints'::regclass and conname = 'webhook_endpoints_fold_seconds_check'`;
  expect(row?.rule).toContain(`(fold_seconds <= ${MAX_FOLD_SECONDS})`);
});

test('phases of runs of CRMs', async () => {
  expect(await checkedWords('crm_runs', 'phase')).toEqual(sorted(runPhases));
});

test('a move with the request log copies all of its columns', async () => {
  const [row] = await sql`
    select array_agg(column_name::text) as names from information_schema.columns
    where table_schema = 'public' and table_name = 'request_log'`;
  expect(sorted(LOG_COLUMNS.split(', '))).toEqual(sorted(row?.names));
});
