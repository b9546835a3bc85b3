// A payments client that retries requests without a response with the same key, as documented.

import type { Reply } from '../../support/gamification/sync.ts';
import { pay } from '../../support/payments/payments.ts';
import { waitFor } from '../../support/wait-for.ts';

export interface Caller {
  /** Ids of the orders with a response. */
  made: string[];
  order(path: string, body: object): Promise<void>;
  /** Retries one of the requests without a response. */
  again(one: <T>(of: readonly T[]) => T | undefined): Promise<void>;
  /** Retries until every request has a final response. The provider rejects the same orders again. */
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
