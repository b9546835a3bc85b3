// A long run that prints its progress; `run.ts` starts it.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { prove } from './prove.ts';

const sql = connectDatabase();
const seed = Number(process.env.PROOF_SEED);
const count = Number(process.env.PROOF_COUNT);

test(`${count} requests of seed ${seed}`, async () => {
  const onProgress = (line: string) => console.log(line);
  const { findings, answers, samples, slowestMs, largestBytes } = await prove(sql, {
    seed,
    count,
    onProgress,
  });
  for (const [name, times] of [...answers].sort()) console.log(`${String(times).padStart(7)}  ${name}`);
  const [first, last] = [samples[Math.floor(samples.length / 5)], samples.at(-1)];
  console.log(`after warming up ${JSON.stringify(first)}\nat the end ${JSON.stringify(last)}`);
  console.log(`slowest answer ${Math.round(slowestMs)} ms, largest ${largestBytes} bytes`);
  for (const { what, times } of findings) console.log(`${times} x ${what}`);
  expect(findings.map(({ what }) => what)).toEqual([]);
});
