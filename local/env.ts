// `npm run -s env`: prints shell exports with the URLs and credentials of the stack in LOCAL_DIR.
import { exportLines, stackFolder } from './environment.ts';
import { exitWithError } from './start-error.ts';

try {
  process.stdout.write(exportLines(stackFolder()));
} catch (error) {
  exitWithError(error);
}
