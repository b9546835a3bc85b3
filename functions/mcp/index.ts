import { readEnv } from '../../shared/platform/env.ts';
import { manifest } from '../manifest.ts';
import { createService } from './app.ts';

Deno.serve(createService(readEnv(...manifest.mcp.settings)).fetch);
