// pg_dump 17 on every machine, whatever is installed: the program as WebAssembly, from an npm package that runs it against
// a database in the same process. Here it uses a connection to a server.
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { pgDump } from '@electric-sql/pglite-tools/pg_dump';
import postgres from 'postgres';

type Dumped = Parameters<typeof pgDump>[0]['pg'];

/** Maximum duration of one response of the server. */
const ANSWER_MS = 10 * 60_000;
const STARTUP_VERSION = 196608;

/** Length of the first complete message in these bytes, or 0. All messages have a type except the first. */
function lengthOfMessage(bytes: Buffer, typed: boolean): number {
  const head = typed ? 1 : 0;
  if (bytes.length < head + 4) return 0;
  const length = head + bytes.readInt32BE(head);
  return bytes.length < length ? 0 : length;
}

/** The output of pg_dump for a database, as SQL. The password stays between this process and the server. */
export async function dumpDatabase(databaseUrl: string, args: string[]): Promise<string> {
  const shared = new SharedArrayBuffer(4);
  const flag = new Int32Array(shared);
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL('./connection.mjs', import.meta.url), {
    workerData: { databaseUrl, shared, port: port2 },
    transferList: [port2],
    // The program is plain JavaScript and needs none of the arguments of this process.
    execArgv: [],
  });
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });

  const waitForAnswer = (): Uint8Array => {
    if (Atomics.wait(flag, 0, 0, ANSWER_MS) === 'timed-out') throw new Error('Postgres gives no answer');
    Atomics.store(flag, 0, 0);
    return receiveMessageOnPort(port1)?.message ?? new Uint8Array();
  };
  let pending = Buffer.alloc(0);
  let greeted = false;
  /** Takes bytes from pg_dump. Returns the response of the server once a request is complete. */
  const exchange = (bytes: Uint8Array): Uint8Array => {
    pending = Buffer.concat([pending, bytes]);
    const answers: Uint8Array[] = [];
    for (
      let length = lengthOfMessage(pending, greeted);
      length > 0;
      length = lengthOfMessage(pending, greeted)
    ) {
      const message = pending.subarray(0, length);
      pending = pending.subarray(length);
      if (!greeted) {
        // The connection exists and is authenticated. A request for encryption is declined.
        greeted = message.readInt32BE(4) === STARTUP_VERSION;
        answers.push(greeted ? waitForAnswer() : Buffer.from('N'));
        continue;
      }
      const type = String.fromCharCode(message[0] ?? 0);
      port1.postMessage(Uint8Array.from(message));
      // A simple query, or the end of an extended query.
      if (type === 'Q' || type === 'S') answers.push(waitForAnswer());
    }
    return Buffer.concat(answers);
  };

  const database = {
    query: async (query: string) => ({ rows: await sql.unsafe(query) }),
    exec: async () => [],
    execProtocolRawSync: exchange,
  };
  try {
    // The package expects its own database, of which it uses only these three members.
    const file = await pgDump({ pg: database as unknown as Dumped, args });
    return await file.text();
  } finally {
    port1.close();
    await worker.terminate();
    await sql.end();
  }
}
