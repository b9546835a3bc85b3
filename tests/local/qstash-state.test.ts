import { spawn } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@upstash/qstash';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keys, manualClock, startDestination, startEmulator, temporaryDirectory } from '../support/qstash.ts';
import { waitFor } from '../support/wait-for.ts';

const HOUR_MS = 3_600_000;

describe('schedules', () => {
  test('send a message at every run, until paused or deleted', async () => {
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
    await client.schedules.pause({ schedule: 'sweep' });
    expect((await client.schedules.get('sweep')).isPaused).toBe(true);
    clock.advance(HOUR_MS);
    await client.schedules.resume({ schedule: 'sweep' });
    expect(deliveries).toHaveLength(1);
    clock.advance(HOUR_MS);
    await waitFor(() => deliveries.length === 2);
    await client.schedules.delete('sweep');
    expect(await client.schedules.list()).toEqual([]);
    await expect(client.schedules.get('sweep')).rejects.toMatchObject({ status: 404 });
  });

  test('are overwritten by id, read a time zone and refuse a bad cron', async () => {
    const clock = manualClock(Date.parse('2026-03-01T10:30:00Z'));
    const { client } = await startEmulator({ clock });
    const destination = 'http://127.0.0.1:9/x';
    await client.schedules.create({ destination, cron: '* * * * *', scheduleId: 'same' });
    await client.schedules.create({
      destination,
      cron: 'CRON_TZ=America/Sao_Paulo 0 9 * * *',
      scheduleId: 'same',
    });
    const listed = await client.schedules.list();
    expect(listed.map(({ nextScheduleTime }) => nextScheduleTime)).toEqual([
      Date.parse('2026-03-01T12:00:00Z'),
    ]);
    for (const cron of ['', 'every day', '61 * * * *', '* * * * * *', 'CRON_TZ=No/Where 0 9 * * *']) {
      await expect(client.schedules.create({ destination, cron }), cron).rejects.toMatchObject({
        status: 400,
      });
    }
    expect(await client.schedules.list()).toHaveLength(1);
  });
});

describe('messages', () => {
  test('are shown while pending and can be cancelled one by one, by filter or all', async () => {
    const { client, url: base } = await startEmulator();
    const later = (path: string, label?: string) =>
      client.publishJSON({
        url: `http://127.0.0.1:9/${path}`,
        body: { n: 1 },
        delay: '1h',
        ...(label === undefined ? {} : { label }),
      });
    const [one, , , four] = [
      await later('1'),
      await later('2', 'x'),
      await later('3', 'x'),
      await later('4'),
    ];
    expect(await client.messages.get(one.messageId)).toMatchObject({
      messageId: one.messageId,
      url: 'http://127.0.0.1:9/1',
      method: 'POST',
      body: '{"n":1}',
      header: { 'content-type': ['application/json'] },
      maxRetries: 3,
    });
    expect(await client.messages.cancel(one.messageId)).toEqual({ cancelled: 1 });
    await expect(client.messages.get(one.messageId)).rejects.toMatchObject({ status: 404 });
    await expect(client.messages.cancel(one.messageId)).rejects.toMatchObject({ status: 404 });
    expect(await client.messages.cancel({ filter: { label: ['x', 'y'], host: '127.0.0.1:9' } })).toEqual({
      cancelled: 2,
    });
    expect(await client.messages.cancel([one.messageId, four.messageId])).toEqual({ cancelled: 1 });
    await later('5');
    const unknown = await fetch(`${base}/v2/messages?labels=x`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${keys.token}` },
    });
    expect(unknown.status).toBe(400);
    expect(await client.messages.cancel({ all: true })).toEqual({ cancelled: 1 });
  });

  test('that are cancelled during an attempt are not retried', async () => {
    const { client } = await startEmulator();
    let release = (): void => {};
    const { url, deliveries } = await startDestination(async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return { status: 500 };
    });
    const { messageId } = await client.publishJSON({ url, retries: 1, retryDelay: '0' });
    await waitFor(() => deliveries.length === 1);
    await client.messages.cancel(messageId);
    release();
    const marker = await startDestination();
    await client.publish({ url: marker.url });
    await waitFor(() => marker.deliveries.length === 1);
    expect(deliveries).toHaveLength(1);
    expect((await client.dlq.listMessages()).messages).toEqual([]);
  });
});

describe('state', () => {
  test('is not touched by a second emulator on the same port', async () => {
    const { url, stateDir, client } = await startEmulator();
    const port = Number(new URL(url).port);
    await expect(startEmulator({ stateDir, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const { messageId } = await client.publishJSON({ url: 'http://127.0.0.1:9/x', delay: '1h' });
    expect(await client.messages.get(messageId)).toMatchObject({ messageId });
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
    // What a kill in the middle of a write leaves.
    await appendFile(join(stateDir, 'journal.jsonl'), '["messages","msg_torn",{"messa');

    const after = await startEmulator({ stateDir, clock });
    const again = await after.client.publishJSON({ url: `${url}/later`, deduplicationId: 'x' });
    expect(again).toEqual({ messageId: pending.messageId, deduplicated: true });
    expect((await after.client.dlq.listMessages()).messages).toMatchObject([{ url: `${url}/dead` }]);
    expect(await after.client.schedules.list()).toMatchObject([{ scheduleId: 'yearly', cron: '0 0 1 1 *' }]);
    expect(deliveries.map(({ path }) => path)).toEqual(['/dead']);
    clock.advance(HOUR_MS);
    await waitFor(() => deliveries.some(({ path }) => path === '/later'));
  });

  test('makes up once for runs missed while it was down, and again for an attempt cut short', async () => {
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

  test('keeps what it accepted when it is killed', async () => {
    const stateDir = await temporaryDirectory();
    const module = new URL('../../local/parts/qstash/index.ts', import.meta.url).href;
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
    const accepted = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        client.publishJSON({ url: `http://127.0.0.1:9/${n}`, delay: '1h' }),
      ),
    );
    child.kill('SIGKILL');
    await exited;
    const after = await startEmulator({ stateDir });
    const ids = accepted.map(({ messageId }) => messageId);
    expect(await after.client.messages.cancel(ids)).toEqual({ cancelled: 100 });
  }, 30_000);
});
