// `npm run schedule`: creates the QStash schedule that calls a deployment's sweep every minute. Safe to repeat.
import { readEnv } from '../shared/platform/env.ts';
import { scheduleSweep } from './schedule-sweep.ts';

const { QSTASH_URL, QSTASH_TOKEN, FUNCTIONS_URL } = readEnv('qstash');
await scheduleSweep({ qstashUrl: QSTASH_URL, token: QSTASH_TOKEN, functionsUrl: FUNCTIONS_URL });
console.log(`QStash calls ${FUNCTIONS_URL}/callbacks/sweep every minute.`);
