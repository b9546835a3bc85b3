// `npm run -s env`: lines for a shell, with the addresses and credentials of the stack in LOCAL_DIR.
import { exportLines, stackFolder } from './environment.ts';
import { exitBecause } from './start-error.ts';

try {
  process.stdout.write(exportLines(stackFolder()));
} catch (error) {
  exitBecause(error);
}
