// One shared connection to a real Redis. After a failure the next command reconnects.
import { connect, type Socket } from 'node:net';
import { type Command, CommandError, type Engine, EngineUnavailableError, type Reply } from './engine.ts';
import { encodeCommand, ReplyParser } from './resp.ts';

const CONNECT_TIMEOUT_MS = 2_000;

interface Waiter {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

interface Connection {
  send(commands: Command[]): Promise<Reply[]>;
  destroy(): void;
}

/** An engine for the Redis at `redis://[[user]:password@]host[:port][/database]`. Connects on first use. */
export function createTcpEngine(redisUrl: string): Engine {
  const url = new URL(redisUrl);
  if (url.protocol !== 'redis:') throw new Error(`REDIS_URL must start with redis://, not ${url.protocol}//`);
  let current: Promise<Connection> | undefined;

  const forget = (connection: Promise<Connection>) => {
    if (current === connection) current = undefined;
  };
  const acquire = (): Promise<Connection> => {
    if (current) return current;
    const opening: Promise<Connection> = open(url, () => forget(opening));
    opening.catch(() => forget(opening));
    current = opening;
    return opening;
  };
  return {
    pipeline: async (commands) => (await acquire()).send(commands),
    async close() {
      const connection = await current?.catch(() => undefined);
      connection?.destroy();
    },
  };
}

async function open(url: URL, onClose: () => void): Promise<Connection> {
  const socket = connect({ host: url.hostname, port: Number(url.port || 6379), noDelay: true });
  const connection = speakResp(socket, onClose);
  await connected(socket);

  const hello: Command[] = [];
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  if (password) hello.push(toCommand('AUTH', ...(user ? [user] : []), password));
  if (url.pathname.length > 1) hello.push(toCommand('SELECT', url.pathname.slice(1)));
  const refusal = (await connection.send(hello)).find((reply) => reply instanceof CommandError);
  if (refusal) {
    connection.destroy();
    throw new EngineUnavailableError(`Redis rejected the connection: ${refusal.message}`);
  }
  return connection;
}

const toCommand = (name: string, ...args: string[]): Command => [
  Buffer.from(name),
  ...args.map((argument) => Buffer.from(argument)),
];

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new EngineUnavailableError(`Redis is unreachable: ${reason}`));
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error('connection timed out')));
    socket.once('error', (error) => fail(error.message));
    socket.once('close', () => fail('connection closed'));
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve();
    });
  });
}

/** Replies arrive in the order of the commands, so the waiting callers form a queue. */
function speakResp(socket: Socket, onClose: () => void): Connection {
  const parser = new ReplyParser();
  const waiters: Waiter[] = [];
  let reason = 'connection closed';

  socket.on('data', (chunk) => {
    try {
      for (const reply of parser.push(chunk)) waiters.shift()?.resolve(reply);
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  });
  socket.on('error', (error) => {
    reason = error.message;
  });
  socket.on('close', () => {
    onClose();
    for (const waiter of waiters.splice(0)) waiter.reject(broken(reason));
  });

  return {
    send(commands) {
      if (socket.destroyed) return Promise.reject(broken(reason));
      const replies = commands.map(
        () => new Promise<Reply>((resolve, reject) => void waiters.push({ resolve, reject })),
      );
      if (commands.length > 0) socket.write(Buffer.concat(commands.map(encodeCommand)));
      return Promise.all(replies);
    },
    destroy: () => void socket.destroy(),
  };
}

const broken = (reason: string) => new EngineUnavailableError(`The connection to Redis failed: ${reason}`);
