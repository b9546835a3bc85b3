// The wire that counts waits, between clients that send together or wait and a server that speaks as much as is needed.
import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { type Gates, type PostgresWire, startPostgresWire } from '../../support/wire/postgres-wire.ts';

const portOf = (address: unknown) => (address as { port: number }).port;

function message(type: string, text = ''): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), head, body]);
}

const query = (text: string) => message('Q', `${text}\0`);
/** A prepared statement: bind, execute, sync. */
const statement = [message('B', 'x'), message('E', 'x'), message('S')];

/** Answers every query and sync, of a length, with the state of its transaction. */
async function startServer(): Promise<number> {
  const server = createServer((socket) => {
    let state = 'I';
    let rest = Buffer.alloc(0);
    socket.once('data', () => {
      socket.write(message('Z', state));
      socket.on('data', (chunk) => {
        rest = Buffer.concat([rest, chunk]);
        while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
          const length = 1 + rest.readUInt32BE(1);
          const [type, text] = [String.fromCharCode(rest[0] ?? 0), rest.subarray(5, length).toString()];
          rest = rest.subarray(length);
          if (text.startsWith('begin')) state = 'T';
          if (text.startsWith('commit')) state = 'I';
          if (type === 'Q' || type === 'S') socket.write(Buffer.concat([message('C'), message('Z', state)]));
        }
      });
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return portOf(server.address());
}

interface Client {
  send(...messages: Buffer[]): void;
  /** Waits for that many answers in all, the first of them to its connecting. */
  heard(count: number): Promise<unknown>;
  answers(): number;
}

async function startClient(wire: PostgresWire): Promise<Client> {
  const socket: Socket = connect(wire.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  const answers = () => text.split('Z\0\0\0\x05').length - 1;
  const client: Client = {
    send: (...messages) => void socket.write(Buffer.concat(messages)),
    heard: (count) => waitFor(() => answers() === count),
    answers,
  };
  client.send(message('', 'startup'));
  await client.heard(1);
  return client;
}

async function start(gates?: Gates) {
  const wire = await startPostgresWire({ host: '127.0.0.1', port: await startServer() });
  onTestFinished(() => wire.close());
  const client = await startClient(wire);
  wire.watch(gates);
  return { wire, client };
}

test('statements that are sent together are one exchange, regardless of how they are split', async () => {
  const { wire, client } = await start();
  const together = Buffer.concat([query('begin'), ...statement, ...statement, query('commit')]);
  client.send(together);
  await client.heard(5);
  for (const byte of together) client.send(Buffer.of(byte));
  await client.heard(9);
  expect(wire.asked()).toBe(2);
  expect(wire.standstill()).toEqual([]);
});

test('detects a client that waits within its transaction, and where', async () => {
  const { wire, client } = await start();
  client.send(query('begin; select set_config()'));
  await waitFor(() => wire.standstill()[0]?.includes('in the middle'));
  expect(wire.standstill()).toEqual([
    'exchange 1 (begin; select set_config()) has an answer in the middle of its transaction, and the client waits for it',
  ]);
  expect(client.answers()).toBe(1);
  expect(wire.settled()).toBe(false);

  wire.open();
  await client.heard(2);
  client.send(...statement, query('commit'));
  await client.heard(4);
});

test('a statement outside a transaction is one exchange', async () => {
  const { wire, client } = await start();
  client.send(...statement);
  await client.heard(2);
  client.send(query('select 1'));
  await client.heard(3);
  expect(wire.asked()).toBe(2);
});

test('two transactions sent together are two exchanges, and neither waits for the other', async () => {
  const { wire, client } = await start();
  const one = [query('begin'), ...statement, query('commit')];
  client.send(...one, ...one);
  await client.heard(7);
  expect(wire.asked()).toBe(2);
});

test('responses from the nth on are held back until the gate opens', async () => {
  let allowed = 1;
  const { wire, client } = await start({ answer: (nth) => nth <= allowed });
  client.send(query('select 1'));
  await client.heard(2);
  client.send(query('select 2'));
  await waitFor(() => wire.standstill().length === 1 && wire.settled());
  expect([client.answers(), wire.standstill()]).toEqual([2, ['the answer of exchange 2 (select 2) is kept']]);
  allowed = 2;
  wire.recheck();
  await client.heard(3);
});

test('requests from the nth on do not reach the server until the gate opens', async () => {
  const { wire, client } = await start({ ask: (nth) => nth < 2 });
  client.send(query('select 1'));
  await client.heard(2);
  client.send(query('begin'), query('commit'));
  await waitFor(() => wire.asked() === 2);
  expect(wire.standstill()).toEqual(['exchange 2 (begin) is kept from the server']);
  expect(wire.settled()).toBe(false);
  wire.open();
  await client.heard(4);
});

test('connecting counts: a pool that has to open a connection waits more often', async () => {
  const { wire } = await start();
  await startClient(wire);
  expect(wire.asked()).toBe(1);
});
