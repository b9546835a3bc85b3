// `npm run clients`: regenerates src/generated.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { generatedFolder, generatedTypes } from './types.ts';

const files = await generatedTypes();
rmSync(generatedFolder, { recursive: true, force: true });
mkdirSync(generatedFolder, { recursive: true });
for (const [name, text] of Object.entries(files)) writeFileSync(generatedFolder + name, text);
