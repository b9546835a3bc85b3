// Access tokens: their key, their claims, and the published key set.
import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { AuthError } from './errors.ts';

/** Lifetime of an access token, the default of new Supabase projects. */
export const ACCESS_TOKEN_SECONDS = 3600;

export interface TokenOptions {
  issuer: string;
  /** Verifies tokens with HS256, and signs them if there is no `signingKey`, as in projects that did not migrate to signing keys. */
  jwtSecret: string;
  /** Private JWK for ES256 with a `kid`, as JSON text. */
  signingKey?: string | undefined;
}

/** The claims that the emulator reads. */
const Claims = z.object({
  sub: z.string().min(1),
  session_id: z.uuid().optional(),
});
type AccessClaims = z.output<typeof Claims>;

export interface AccessTokens {
  sign(claims: JWTPayload): Promise<string>;
  /** Throws 403 `bad_jwt`. */
  verify(token: string): Promise<AccessClaims>;
  /** The public keys. A secret for HS256 is never among them. */
  keySet(): { keys: JsonWebKey[] };
}

export function createAccessTokens({ issuer, jwtSecret, signingKey }: TokenOptions): AccessTokens {
  const secret = new TextEncoder().encode(jwtSecret);
  const pair = signingKey === undefined ? undefined : readKeyPair(signingKey);
  return {
    sign(claims) {
      const header = pair ? { alg: 'ES256', kid: pair.kid, typ: 'JWT' } : { alg: 'HS256', typ: 'JWT' };
      const token = new SignJWT({ iss: issuer, ...claims }).setProtectedHeader(header);
      return token.sign(pair?.privateKey ?? secret);
    },

    async verify(token) {
      try {
        // The key decides the algorithm, so that nobody can use the public key as a secret.
        const { payload } = await jwtVerify(
          token,
          ({ kid, alg }) => {
            if (pair && kid === pair.kid) return pair.publicKey;
            if (alg === 'HS256') return secret;
            throw new Error(`unrecognized JWT kid ${kid} for algorithm ${alg}`);
          },
          { algorithms: ['ES256', 'HS256'] },
        );
        return Claims.parse(payload);
      } catch (error) {
        const reason = error instanceof z.ZodError ? 'missing claims' : (error as Error).message;
        throw new AuthError(403, 'bad_jwt', `invalid JWT: unable to parse or verify signature, ${reason}`);
      }
    },

    keySet: () => ({ keys: pair ? [pair.publicJwk] : [] }),
  };
}

function readKeyPair(text: string) {
  const jwk = z.object({ kid: z.string() }).loose().parse(JSON.parse(text));
  const privateKey = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
  const publicKey = createPublicKey(privateKey);
  const publicJwk = {
    ...publicKey.export({ format: 'jwk' }),
    kid: jwk.kid,
    alg: 'ES256',
    use: 'sig',
    key_ops: ['verify'],
    ext: true,
  };
  return { kid: jwk.kid, privateKey, publicKey, publicJwk };
}
