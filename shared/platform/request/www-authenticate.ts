// The challenge of a 401 (RFC 9110, section 11.6.1), and of a 403 for a missing scope (RFC 6750, section 3).

const REALM = 'placar';

/** Parameters of a challenge beside the realm, such as `error` and `scope` of RFC 6750. */
export type ChallengeParameters = Readonly<Record<string, string>>;

/** One challenge for each scheme, all with the same parameters. Values are our own words, without quotes in them. */
export function challengeHeader(schemes: readonly string[], parameters: ChallengeParameters = {}): string {
  const all = Object.entries({ realm: REALM, ...parameters }).map(([name, value]) => `${name}="${value}"`);
  return schemes.map((scheme) => `${scheme} ${all.join(', ')}`).join(', ');
}
