// `npm run generate` in clients/n8n: writes the descriptions of all operations.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { generatedFile, printedDescriptions } from './print.ts';

mkdirSync(dirname(generatedFile), { recursive: true });
writeFileSync(generatedFile, printedDescriptions());
