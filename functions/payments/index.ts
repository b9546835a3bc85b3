import { readEnv } from '../../shared/platform/env.ts';
import { createService } from './app.ts';

Deno.serve(createService(readEnv('app', 'database', 'redis', 'qstash', 'storage', 'sandbox')).fetch);
