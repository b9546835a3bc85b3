// Redis or QStash in a separate process that can be killed. The environment selects the service and its address.
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
