// Redis or QStash in a process of its own, so that it can be killed. What it is, and where, comes in the environment.
import { startQstash } from '../../../local/emulators/qstash/index.ts';
import { startRedis } from '../../../local/emulators/redis/index.ts';

const { PART, PORT, TOKEN = '', STATE_DIR = '', CURRENT_KEY = '', NEXT_KEY = '' } = process.env;
const port = Number(PORT);
if (PART === 'redis') await startRedis({ port, token: TOKEN });
else {
  await startQstash({
    port,
    token: TOKEN,
    currentSigningKey: CURRENT_KEY,
    nextSigningKey: NEXT_KEY,
    stateDir: STATE_DIR,
    onMail: () => {},
    log: (line) => console.log(line),
  });
}
