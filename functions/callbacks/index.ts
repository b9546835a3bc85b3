import { readEnv } from '../../shared/env.ts';
import { createJobs, createService } from './app.ts';

const env = readEnv('app', 'database', 'qstash', 'callbacks', 'webhooks', 'mail');
Deno.serve(createService(env, createJobs(env)).fetch);
