// A caller of payments who sends again what was not answered, with the same key, as the documents tell it to.

import type { Reply } from '../../support/gamification/sync.ts';
import { pay } from '../../support/payments/payments.ts';
import { waitFor } from '../../support/wait-for.ts';

export interface Caller {
  /** Ids of the orders that were answered. */
  made: string[];
  order(path: string, body: object): Promise<void>;
  /** Sends one of those again that were not answered. */
  again(one: <T>(of: readonly T[]) => T | undefined): Promise<void>;
  /** Sends until everything is answered for good. What the provider refuses it refuses again. */
  finish(timePasses: () => Promise<void>): Promise<void>;
}

const isFinal = ({ body }: Reply): boolean => body.code !== 'idempotency_key_in_use' && !body.retryable;

export function createCaller(apiKey: string): Caller {
  const made: string[] = [];
  const unanswered = new Map<string, () => Promise<boolean>>();
  return {
    made,
    async order(path, body) {
      const key = crypto.randomUUID();
      const send = async () => {
        const reply = await pay(apiKey, path, body, { key });
        if (reply.status === 201) made.push(reply.body.id);
        if (isFinal(reply)) unanswered.delete(key);
        return isFinal(reply);
      };
      unanswered.set(key, send);
      await send();
    },
    async again(one) {
      await one([...unanswered.values()])?.();
    },
    async finish(timePasses) {
      for (const send of [...unanswered.values()])
        await waitFor(async () => {
          if (await send()) return true;
          await timePasses();
          return false;
        });
    },
  };
}
