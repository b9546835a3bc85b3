// js-redis-server driven in this process, without a socket between the REST protocol and the keyspace.
import {
  ClientSession,
  createRedisCommandExecutor,
  encodeRedisResult,
  RedisResult,
  RedisServerState,
} from 'js-redis-server/core';
import { type Command, CommandError, type Engine, type Reply } from './engine.ts';
import { ReplyParser } from './resp.ts';

/** An empty Redis in memory; its data goes with the process. */
export function createInProcessEngine(): Engine {
  const server = new RedisServerState();
  const session = new ClientSession({ server, executor: createRedisCommandExecutor() });

  async function execute([name, ...args]: Command): Promise<Reply> {
    const result = await session.execute(name, args);
    if (!(result instanceof RedisResult)) return new CommandError('ERR a streamed answer can not be sent');
    return new ReplyParser().push(encodeRedisResult(result))[0] ?? null;
  }

  return {
    pipeline: (commands) => Promise.all(commands.map(execute)),
    async close() {
      session.close();
      server.close();
    },
  };
}
