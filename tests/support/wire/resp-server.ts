// The Redis of the local stack with the Redis wire protocol, for clients that use it on machines without redis-server.
import { createServer, type Socket } from 'node:net';
import { type Command, CommandError, type Reply } from '../../../local/emulators/redis/engine.ts';
import { createInProcessEngine } from '../../../local/emulators/redis/in-process.ts';
import { ReplyParser } from '../../../local/emulators/redis/resp.ts';
import { listen } from '../../../local/ports.ts';

/** Starts it on a free port. `stop` closes its connections. */
export async function startRespServer(): Promise<{ port: number; stop(): Promise<void> }> {
  const engine = await createInProcessEngine();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // A command is encoded as an array of strings.
    const parser = new ReplyParser();
    let answered = Promise.resolve();
    socket.on('data', (chunk) => {
      const commands = parser.push(chunk).map(commandOf);
      answered = answered.then(async () => {
        for (const reply of await engine.pipeline(commands)) socket.write(encode(reply));
      });
    });
  });
  return {
    port: await listen(server),
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await engine.close();
    },
  };
}

function commandOf(reply: Reply): Command {
  const [name, ...args] = Array.isArray(reply) ? reply.filter(Buffer.isBuffer) : [];
  if (!name) throw new Error('not a command');
  return [name, ...args];
}

function encode(reply: Reply): Buffer {
  if (reply === null) return Buffer.from('$-1\r\n');
  if (typeof reply === 'number') return Buffer.from(`:${reply}\r\n`);
  if (reply instanceof CommandError) return Buffer.from(`-${reply.message}\r\n`);
  if (Array.isArray(reply)) return Buffer.concat([Buffer.from(`*${reply.length}\r\n`), ...reply.map(encode)]);
  return Buffer.concat([Buffer.from(`$${reply.length}\r\n`), reply, Buffer.from('\r\n')]);
}
