// The formats of settings that are more than a word, a number or a URL: keys, and the addresses of the database and of a collector.
import { readAddress } from './database-address.ts';
import { httpUrl, type Setting, url } from './setting.ts';

/** A private key for ES256 (RFC 7517, RFC 7518). */
interface SigningKey {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
  d: string;
  kid?: string;
}

/** A coordinate on P-256 is 32 bytes, which are 43 characters of base64url. */
const COORDINATE = /^[\w-]{43}$/;

/** A private key for ES256 as the text of a JWK. */
export const signingKey: Setting<SigningKey> = {
  parse(given) {
    const { kty, crv, x, y, d, kid } = objectOf(given);
    const isCoordinate = (value: unknown): value is string =>
      typeof value === 'string' && COORDINATE.test(value);
    const isKid = kid === undefined || (typeof kid === 'string' && kid !== '');
    if (kty === 'EC' && crv === 'P-256' && isCoordinate(x) && isCoordinate(y) && isCoordinate(d) && isKid)
      return { kty, crv, x, y, d, ...(kid !== undefined && { kid }) };
    throw new Error('must be a private EC P-256 key as JWK; create one with npm run signing-key');
  },
};

/** A Postgres connection URL with a supported `sslmode`. */
export const databaseUrl: Setting<string> = {
  parse(given) {
    url('postgres', 'postgresql').parse(given);
    readAddress(given);
    return given;
  },
};

/** Base URL of an OpenTelemetry collector. Credentials belong in OTEL_EXPORTER_OTLP_HEADERS. */
export const collectorUrl: Setting<string> = {
  parse(given) {
    const base = httpUrl.parse(given);
    const { username, password, search, hash } = new URL(base);
    if (username || password || search || hash)
      throw new Error('must be a URL without user, password, query or fragment');
    return base;
  },
};

/** The members of a JSON object; none if the text is not a JSON object. */
function objectOf(given: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(given) };
  } catch {
    return {};
  }
}
