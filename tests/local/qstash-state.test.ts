import { spawn } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@upstash/qstash';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keys, manualClock, startDestination, startEmulator, temporaryDirectory } from '../support/qstash.ts';
import { waitFor } from '../support/wait-for.ts';

const HOUR_MS = 3_600_000;

describe('schedules', () => {
  test('send a message on every run', async () => {
    const clock = manualClock(Date.parse('2026-03-01T10:30:00Z'));
    const { client } = await startEmulator({ clock });
    const { url, deliveries } = await startDestination();
    const created = await client.schedules.create({
      destination: `${url}/sweep?full=1`,
      cron: '0 * * * *',
      scheduleId: 'sweep',
      body: '{"n":1}',
      retries: 1,
    });
    expect(created).toEqual({ scheduleId: 'sweep' });
    expect(await client.schedules.get('sweep')).toMatchObject({
      destination: `${url}/sweep?full=1`,
      cron: '0 * * * *',
      body: '{"n":1}',
      retries: 1,
      isPaused: false,
      nextScheduleTime: Date.parse('2026-03-01T11:00:00Z'),
    });
    clock.advance(HOUR_MS);
    await waitFor(() => deliveries.length === 1);
    expect(deliveries[0]).toMatchObject({
      method: 'POST',
      path: '/sweep?full=1',
      body: '{"n":1}',
      headers: { 'upstash-schedule-id': 'sweep' },
    });
    clock.advance(HOUR_MS);
    await waitFor(() => deliveries.length === 2);
    await expect(client.schedules.get('other')).rejects.toMatchObject({ status: 404 });
  });

  test('are overwritten by id, and reject an invalid cron expression', async () => {
    const clock = manualClock(Date.parse('2026-03-01T10:30:00Z'));
    const { client } = await startEmulator({ clock });
    const destination = 'http://127.0.0.1:9/x';
    const nextRun = async () => (await client.schedules.get('same')).nextScheduleTime;
    await client.schedules.create({ destination, cron: '* * * * *', scheduleId: 'same' });
    expect(await nextRun()).toBe(Date.parse('2026-03-01T10:31:00Z'));
    await client.schedules.create({ destination, cron: '0 12 * * *', scheduleId: 'same' });
    expect(await nextRun()).toBe(Date.parse('2026-03-01T12:00:00Z'));
    for (const cron of ['', 'every day', '61 * * * *', '* * * * * *']) {
      const scheduleId = 'bad';
      await expect(client.schedules.create({ destination, cron, scheduleId }), cron).rejects.toMatchObject({
        status: 400,
      });
    }
  });
});

describe('state', () => {
  test('is not changed by a second emulator on the same port', async () => {
    const { url, stateDir, client } = await startEmulator();
    const port = Number(new URL(url).port);
    await expect(startEmulator({ stateDir, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const later = { url: 'http://127.0.0.1:9/x', delay: '1h' as const, deduplicationId: 'x' };
    const accepted = await client.publishJSON(later);
    expect(await client.publishJSON(later)).toEqual({ ...accepted, deduplicated: true });
  });

  test('survives a restart', async () => {
    const clock = manualClock();
    const stateDir = await temporaryDirectory();
    const { url, deliveries } = await startDestination(({ path }) => ({
      status: path === '/dead' ? 500 : 200,
    }));
    const before = await startEmulator({ stateDir, clock });
    await before.client.publishJSON({ url: `${url}/dead`, retries: 0 });
    await waitFor(async () => (await before.client.dlq.listMessages()).messages[0]);
    const pending = await before.client.publishJSON({
      url: `${url}/later`,
      delay: '1h',
      deduplicationId: 'x',
    });
    await before.client.schedules.create({
      destination: `${url}/run`,
      cron: '0 0 1 1 *',
      scheduleId: 'yearly',
    });
    await before.close();
    // The state after a kill in the middle of a write.
    await appendFile(join(stateDir, 'journal.jsonl'), '["messages","msg_torn",{"messa');

    const after = await startEmulator({ stateDir, clock });
    const again = await after.client.publishJSON({ url: `${url}/later`, deduplicationId: 'x' });
    expect(again).toEqual({ messageId: pending.messageId, deduplicated: true });
    expect((await after.client.dlq.listMessages()).messages).toMatchObject([{ url: `${url}/dead` }]);
    expect(await after.client.schedules.get('yearly')).toMatchObject({ cron: '0 0 1 1 *' });
    expect(deliveries.map(({ path }) => path)).toEqual(['/dead']);
    clock.advance(HOUR_MS);
    await waitFor(() => deliveries.some(({ path }) => path === '/later'));
  });

  test('runs once for schedules missed during downtime, and repeats an interrupted attempt', async () => {
    const clock = manualClock();
    const stateDir = await temporaryDirectory();
    const { url, deliveries } = await startDestination(({ path }, index) =>
      path === '/cut' && index === 0 ? new Promise(() => {}) : { status: 200 },
    );
    const before = await startEmulator({ stateDir, clock });
    await before.client.publishJSON({ url: `${url}/cut`, retries: 0 });
    await waitFor(() => deliveries.length === 1);
    await before.client.schedules.create({
      destination: `${url}/run`,
      cron: '0 * * * *',
      scheduleId: 'hourly',
    });
    await before.close();
    const restarted = manualClock(clock.now() + 3 * HOUR_MS);
    const after = await startEmulator({ stateDir, clock: restarted });
    restarted.advance(0);
    await waitFor(() => deliveries.length === 3);
    expect(deliveries.map(({ path }) => path).sort()).toEqual(['/cut', '/cut', '/run']);
    const schedule = await after.client.schedules.get('hourly');
    expect(schedule.nextScheduleTime).toBeGreaterThan(restarted.now());
  });

  test('keeps accepted messages when it is killed', async () => {
    const stateDir = await temporaryDirectory();
    const module = new URL('../../local/emulators/qstash/index.ts', import.meta.url).href;
    const script = `const { startQstash } = await import(${JSON.stringify(module)});
      const { url } = await startQstash({ ...${JSON.stringify({ ...keys, stateDir })}, onMail() {} });
      console.log(url);`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const baseUrl = await waitFor(() => /^http:\S+/.exec(output)?.[0]);
    const client = new Client({ baseUrl, token: keys.token, devMode: false, retry: false });
    const { url, deliveries } = await startDestination();
    await Promise.all(
      Array.from({ length: 100 }, (_, n) => client.publishJSON({ url: `${url}/${n}`, delay: '1h' })),
    );
    child.kill('SIGKILL');
    await exited;
    expect(deliveries).toEqual([]);
    await startEmulator({ stateDir, clock: manualClock(Date.now() + HOUR_MS) });
    await waitFor(() => deliveries.length === 100);
  });
});
