import { readEnv } from '../../shared/env.ts';
import { createService } from './app.ts';

Deno.serve(
  createService(
    readEnv(
      'app',
      'database',
      'qstash',
      'callbacks',
      'webhooks',
      'destinations',
      'mail',
      'storage',
      'sandbox',
    ),
  ).fetch,
);
