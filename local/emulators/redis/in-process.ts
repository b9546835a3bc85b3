// js-redis-server driven in this process, without a socket between the REST front and the keyspace.
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
  const executor = createRedisCommandExecutor();
  const openSession = () => new ClientSession({ server, executor });
  const shared = openSession();

  return {
    pipeline: (commands) => Promise.all(commands.map((command) => execute(shared, command))),
    async transaction(commands) {
      // MULTI is a state of the session, so a transaction can't share one with other callers.
      const session = openSession();
      try {
        return await runTransaction(session, commands);
      } finally {
        session.close();
      }
    },
    async close() {
      shared.close();
      server.close();
    },
  };
}

async function runTransaction(session: ClientSession, commands: Command[]): Promise<Reply> {
  await execute(session, [Buffer.from('MULTI')]);
  let refusal: Reply | undefined;
  for (const command of commands) {
    const queued = await execute(session, command);
    if (queued instanceof CommandError) refusal ??= queued;
  }
  const outcome = await execute(session, [Buffer.from('EXEC')]);
  return refusal ?? outcome;
}

async function execute(session: ClientSession, [name, ...args]: Command): Promise<Reply> {
  const result = await session.execute(name, args);
  if (!(result instanceof RedisResult)) return new CommandError('ERR a streamed answer can not be sent');
  return new ReplyParser().push(encodeRedisResult(result))[0] ?? null;
}
