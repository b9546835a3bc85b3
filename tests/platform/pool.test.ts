// The pool keeps no state between uses of a connection, regardless of the connection's age.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, inject, onTestFinished, test } from 'vitest';
import { readAddress } from '../../shared/platform/database-address.ts';
import { createPool } from '../../shared/platform/db/pool.ts';
import { compileAll, sql } from '../../shared/platform/db/sql.ts';
import { silentLogger } from '../../shared/platform/logger.ts';

setFlagsFromString('--expose-gc');
const requester = { tenantId: null, hasWritten: false };
const collectGarbage: () => void = runInNewContext('gc');

test('uses of a connection leave no state behind', async () => {
  const { database_url: url } = inject('stack');
  const pool = createPool({
    address: readAddress(url),
    size: 1,
    timeoutMs: 60_000,
    perTenant: 1,
    waitMs: 60_000,
    log: silentLogger,
  });
  onTestFinished(() => pool.close());
  const backendOf = () =>
    pool.use(
      (connection) => connection.send(compileAll(sql`select pg_backend_pid() as pid`), true),
      'none',
      requester,
    );
  const heapAfter = async (uses: number) => {
    for (let i = 0; i < uses; i++) await pool.use(async () => new Array(1000).fill(i), 'none', requester);
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const backend = await backendOf();
  const before = await heapAfter(500);
  // A kibibyte of each would be two mebibytes.
  expect((await heapAfter(2000)) - before).toBeLessThan(1024 * 1024);
  expect(await backendOf()).toEqual(backend);
});
