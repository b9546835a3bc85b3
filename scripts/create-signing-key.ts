// `npm run -s signing-key`: prints a new signing key for access tokens as a line for `.env.production`.
import { createSigningKey } from './signing-key.ts';

console.log(`OAUTH_SIGNING_KEY='${createSigningKey()}'`);
