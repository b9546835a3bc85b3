// `npm run screenshots`: takes the screenshots of the console in docs/images, on a temporary stack with demo data.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import postgres from 'postgres';
import { startStack } from '../local/stack.ts';
import { launchBrowser } from './browser.ts';
import { createDemoData } from './demo/create-demo-data.ts';

const FOLDER = 'docs/images';
const SIZE = { width: 1200, height: 780 };

interface Picture {
  name: string;
  path: string;
  colorScheme: 'light' | 'dark';
}

async function take(browser: Browser, baseURL: string, { name, path, colorScheme }: Picture): Promise<void> {
  const context = await browser.newContext({ baseURL, viewport: SIZE, colorScheme });
  const page = await context.newPage();
  const answer = await page.goto(path);
  if (!answer?.ok()) throw new Error(`${path} is ${answer?.status()}.`);
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  await context.close();
}

/** The demo takes only seconds. Copies its requests over the previous hour for a realistic chart. */
const spreadRequests = (sql: postgres.Sql, tenantId: string) => sql`
  insert into public.request_log (at, request_id, tenant_id, api_key_id, client_id, function, method, path, status, reason,
                                  fields, query, ip, duration_ms, requests)
  select r.at - make_interval(mins => minute), gen_random_uuid(), r.tenant_id, r.api_key_id, r.client_id, r.function,
         r.method, r.path, r.status, r.reason, r.fields, r.query, r.ip, r.duration_ms, r.requests
  from generate_series(1, 58) as minute
  join public.request_log r on r.tenant_id = ${tenantId} and r.function <> 'callbacks'
   and (hashtext(r.request_id::text || minute) % 100 + 100) % 100 < 30 + 22 * sin(minute / 7.0) + minute % 9`;

const dir = mkdtempSync(join(tmpdir(), 'placar-screenshots-'));
const stack = await startStack({ dir, port: 0, durable: false });
const sql = postgres(stack.info.database_url, { max: 2, onnotice: () => {} });
const browser = await launchBrowser();
try {
  await createDemoData(stack.info, sql, () => {});
  await spreadRequests(sql, stack.info.tenant_id);
  const [charge] = await sql`
    select provider_reference as reference from public.invoices
    where tenant_id = ${stack.info.tenant_id} and status = 'open' and payment_method_type = 'pix'`;
  mkdirSync(FOLDER, { recursive: true });
  const pictures: Picture[] = [
    { name: 'console-overview', path: '/', colorScheme: 'light' },
    { name: 'console-standings', path: '/standings', colorScheme: 'dark' },
    { name: 'console-payments', path: '/payments/invoices', colorScheme: 'light' },
    { name: 'console-payer', path: `/pay/${charge?.reference}`, colorScheme: 'light' },
  ];
  for (const picture of pictures) await take(browser, stack.info.base_url, picture);
} finally {
  await browser.close();
  await sql.end();
  await stack.stop();
  rmSync(dir, { recursive: true, force: true });
}
