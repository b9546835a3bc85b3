// The board updates while it is open.
import { expect, test } from 'vitest';
import { openConsole, useBrowser } from '../../support/clients/browser.ts';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { collaborator, syncCollaborators } from '../../support/gamification/sync.ts';

const sql = connectDatabase(undefined, { announces: true });
useBrowser();

test('a player who earns points moves up without a reload', async () => {
  const { id: tenantId, apiKey } = await createTenant(sql);
  await syncCollaborators(apiKey, [collaborator('ana'), collaborator('bea')]);
  await sql`select admin.adjust_points(${tenantId}, 'ana@example.com', 10, 'A start')`;
  const { page, complaints } = await openConsole({ tenantId });
  await page.goto('/standings');
  const names = page.locator('.board .player-name');
  expect(await names.allTextContents()).toEqual(['ana', 'bea']);
  await page.evaluate(() => {
    document.body.dataset.same = 'yes';
  });
  await sql`select admin.adjust_points(${tenantId}, 'bea@example.com', 25, 'A good week')`;
  const first = page.locator('.board > li').first();
  await first.filter({ hasText: 'bea' }).waitFor();
  expect(await names.allTextContents()).toEqual(['bea', 'ana']);
  expect(await first.textContent()).toContain('25');
  expect(await page.evaluate(() => document.body.dataset.same)).toBe('yes');
  expect(complaints).toEqual([]);
});
