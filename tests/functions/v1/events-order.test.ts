// The order of the feed with concurrent writers: every reader gets each committed event exactly once, in the same order, and never before a
// cursor that it already has, regardless of concurrent transactions.
import postgres from 'postgres';
import { describe, expect, inject, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import type { Json } from '../../support/gamification/sync.ts';
import { feed, follow } from '../../support/records/feed.ts';
import { createRecordsTenant } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const WRITERS = 20;
const ROUNDS = 8;
const READERS = 4;

/** A connection for one transaction, which may be killed. */
const connect = () =>
  postgres(inject('stack').database_url, {
    max: 1,
    onnotice: () => {},
    connection: { 'app.announced': 'yes' },
  });

/** A transaction that stays open until the test ends it. */
async function open(work: (tx: postgres.ISql<Record<never, never>>) => Promise<unknown>) {
  const client = connect();
  const tx = await client.reserve();
  await tx`begin`;
  await work(tx);
  return async (command: 'commit' | 'rollback') => {
    await tx.unsafe(command);
    await client.end({ timeout: 1 });
  };
}

const addLead = (tx: postgres.ISql<Record<never, never>>, tenantId: string, name: string) =>
  tx`insert into leads (tenant_id, name, email) values (${tenantId}, ${name}, ${`${crypto.randomUUID()}@example.com`})`;

type Ending = 'commit' | 'rollback' | 'kill' | 'hold';
const endings: Ending[] = ['commit', 'commit', 'hold', 'commit', 'rollback', 'commit', 'kill'];

class GivenUp extends Error {}

/** A transaction that creates a few events. Returns the names of its leads if it was committed. */
async function write(
  tenantId: string,
  name: string,
  ending: Ending,
  goOn: () => Promise<unknown>,
): Promise<string[]> {
  const client = connect();
  const names = ['1', '2', '3'].map((n) => `${name} ${n}`);
  try {
    await client.begin(async (tx) => {
      for (const one of names) await addLead(tx, tenantId, one);
      if (ending === 'hold') await goOn();
      if (ending === 'rollback') throw new GivenUp();
      if (ending === 'kill') {
        const [{ pid } = {}] = await tx`select pg_backend_pid() as pid`;
        await sql`select pg_terminate_backend(${pid})`;
      }
    });
    return names;
  } catch (error) {
    if (ending === 'kill' || error instanceof GivenUp) return [];
    throw error;
  } finally {
    await client.end({ timeout: 1 });
  }
}

/** Follows the feed with pages of random sizes until `over` resolves and nothing is left. */
async function readAll(token: string, over: () => boolean, seen: Json[], wait: boolean): Promise<void> {
  let cursor = '';
  for (;;) {
    // Read before the request: events that are committed by then are in the response.
    const last = over();
    const limit = 1 + Math.floor(Math.random() * 7);
    const query = `limit=${limit}${wait && !last ? '&wait=1' : ''}${cursor && `&after=${cursor}`}`;
    const { status, body } = await feed(token, query);
    expect([status, body]).toEqual([200, expect.anything()]);
    seen.push(...body.data);
    cursor = body.meta.next_cursor;
    if (last && !body.meta.has_more) return;
  }
}

describe('concurrent writers', () => {
  test('every reader gets every committed event once, in one order', async () => {
    const { id, token } = await createRecordsTenant(sql);
    const { id: otherId } = await createRecordsTenant(sql);
    const endOther = await open((tx) => addLead(tx, otherId, 'never ends'));

    let over = false;
    const seen: Json[][] = Array.from({ length: READERS }, () => []);
    const reading = seen.map((list, n) => readAll(token, () => over, list, n % 2 === 0));
    let done = 0;
    // The held transaction stays open until every reader has read later events.
    const later = async () => {
      const lengths = seen.map((list) => list.length);
      const ending = () => done >= WRITERS * (ROUNDS - 1);
      await waitFor(() => ending() || seen.every((list, n) => list.length > (lengths[n] ?? 0) + 6));
    };
    const committed: string[][] = [];
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let round = 0; round < ROUNDS; round++) {
          const ending = endings[(writer + round) % endings.length] ?? 'commit';
          const names = await write(id, `${writer}/${round}`, ending, later);
          done += 1;
          if (names.length > 0) committed.push(names);
        }
      }),
    );
    over = true;
    await Promise.all(reading);
    await endOther('rollback');

    const leads = (list: Json[]) => list.filter(({ type }) => type === 'lead.created');
    const namesIn = (list: Json[]) => leads(list).map(({ data }) => String(data.name));
    const [first = [], ...others] = seen;
    expect([...namesIn(first)].sort()).toEqual(committed.flat().sort());
    for (const list of others) expect(list).toEqual(first);
    const written = await sql`select id from events where tenant_id = ${id} and type <> 'webhook.test'`;
    expect(first.map((event) => event.id).sort()).toEqual(written.map((event) => event.id).sort());
    // The events of one writer are in the order in which it created them.
    for (let writer = 0; writer < WRITERS; writer++) {
      const own = namesIn(first).filter((name) => name.startsWith(`${writer}/`));
      expect(own).toEqual([...own].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })));
    }
    // A later reader sees the same order, with its own page sizes and from any position.
    const again = await follow(token, { limit: () => 13 });
    expect(again.events).toEqual(first);
    const half = Math.floor(first.length / 2);
    expect((await follow(token, { after: first[half]?.cursor })).events).toEqual(first.slice(half + 1));
  });

  test('an event that was written first and committed last comes last, and is not lost', async () => {
    const { id, token } = await createRecordsTenant(sql);
    const endSlow = await open((tx) => addLead(tx, id, 'slow'));
    await addLead(sql, id, 'fast');
    const { events, cursor } = await follow(token);
    expect(events.map(({ data }) => data.name)).toEqual(['fast']);
    // Reads several times, so that the settled position advances as far as possible.
    for (let look = 0; look < 3; look++) {
      await addLead(sql, id, `between ${look}`);
      await follow(token, { after: cursor });
    }
    await endSlow('commit');
    const rest = await follow(token, { after: cursor });
    expect(rest.events.map(({ data }) => data.name)).toEqual(['between 0', 'between 1', 'between 2', 'slow']);
  });

  test('open transactions of another tenant delay nothing', async () => {
    const { id, token } = await createRecordsTenant(sql);
    const { id: otherId } = await createRecordsTenant(sql);
    const endOther = await open((tx) => addLead(tx, otherId, 'open'));
    const seen: string[] = [];
    let after: string | undefined;
    for (const name of ['one', 'two', 'three']) {
      await addLead(sql, id, name);
      const { events, cursor } = await follow(token, { after });
      seen.push(...events.map(({ data }) => data.name));
      after = cursor;
      expect(seen.at(-1)).toBe(name);
    }
    expect(seen).toEqual(['one', 'two', 'three']);
    await endOther('rollback');
  });
});
