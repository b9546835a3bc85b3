// Discovery by OAuth libraries, given only a URL and credentials.
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { expect, inject, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { createOAuthClient } from '../../support/oauth.ts';
import { ACCESS_TOKEN, createPerson, TOKEN_EXCHANGE } from '../../support/persons.ts';
import { records } from '../../support/records/records.ts';

const sql = connectDatabase();
const issuer = new URL(`${inject('stack').base_url}/functions/v1/oauth`);

/** The test stack has no TLS. */
const insecure = { [oauth.allowInsecureRequests]: true };

async function newClient() {
  return createOAuthClient(sql, (await createTenant(sql)).id, { scopes: ['read:leads', 'write:leads'] });
}

test.each(['oidc', 'oauth2'] as const)('oauth4webapi, by %s', async (algorithm) => {
  const { client_id, client_secret } = await newClient();
  const found = await oauth.discoveryRequest(issuer, { algorithm, ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, found);
  const client = { client_id };
  for (const authentication of [
    oauth.ClientSecretBasic(client_secret),
    oauth.ClientSecretPost(client_secret),
  ]) {
    const asked = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      authentication,
      new URLSearchParams({ scope: 'read:leads' }),
      insecure,
    );
    const { access_token: token, scope } = await oauth.processClientCredentialsResponse(
      server,
      client,
      asked,
    );
    expect(scope).toBe('read:leads');
    expect((await records(token, 'GET', '/leads')).status).toBe(200);
    const ended = await oauth.revocationRequest(server, client, authentication, token, insecure);
    expect(await oauth.processRevocationResponse(ended)).toBeUndefined();
    expect((await records(token, 'GET', '/leads')).status).toBe(401);
  }
});

test('openid-client', async () => {
  const { client_id, client_secret } = await newClient();
  const config = await openid.discovery(issuer, client_id, client_secret, undefined, {
    execute: [openid.allowInsecureRequests],
  });
  const { access_token: token } = await openid.clientCredentialsGrant(config);
  expect((await records(token, 'GET', '/leads')).status).toBe(200);
  await openid.tokenRevocation(config, token);
  expect((await records(token, 'GET', '/leads')).status).toBe(401);
});

/** A library needs the id of a client, which has no secret here. */
const PUBLIC_CLIENT = { client_id: 'app-of-sellers' };

test('oauth4webapi exchanges and revokes the token of a person', async () => {
  const person = await createPerson(sql, (await createTenant(sql)).id);
  const subject = { subject_token: person.authToken, subject_token_type: ACCESS_TOKEN };
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, found);
  const asked = await oauth.genericTokenEndpointRequest(
    server,
    PUBLIC_CLIENT,
    oauth.None(),
    TOKEN_EXCHANGE,
    new URLSearchParams(subject),
    insecure,
  );
  const { access_token: token, ...answer } = await oauth.processGenericTokenEndpointResponse(
    server,
    PUBLIC_CLIENT,
    asked,
  );
  expect(answer).toMatchObject({ issued_token_type: ACCESS_TOKEN, token_type: 'bearer', expires_in: 900 });
  expect((await records(token, 'GET', '/standings')).status).toBe(200);
  const ended = await oauth.revocationRequest(server, PUBLIC_CLIENT, oauth.None(), token, insecure);
  expect(await oauth.processRevocationResponse(ended)).toBeUndefined();
  expect((await records(token, 'GET', '/standings')).status).toBe(401);
});

test('openid-client exchanges and revokes the token of a person', async () => {
  const person = await createPerson(sql, (await createTenant(sql)).id);
  const config = await openid.discovery(issuer, PUBLIC_CLIENT.client_id, undefined, openid.None(), {
    execute: [openid.allowInsecureRequests],
  });
  const subject = { subject_token: person.authToken, subject_token_type: ACCESS_TOKEN };
  const { access_token: token } = await openid.genericGrantRequest(config, TOKEN_EXCHANGE, subject);
  expect((await records(token, 'GET', '/standings')).status).toBe(200);
  await openid.tokenRevocation(config, token);
  expect((await records(token, 'GET', '/standings')).status).toBe(401);
});

test('the metadata is the same at every path, and its URLs respond', async () => {
  const base = inject('stack').base_url;
  const places = [
    `${issuer}/.well-known/oauth-authorization-server`,
    `${issuer}/.well-known/openid-configuration`,
    `${base}/oauth/.well-known/oauth-authorization-server`,
    `${base}/.well-known/oauth-authorization-server`,
    `${base}/.well-known/oauth-authorization-server/functions/v1/oauth`,
  ];
  const answers = await Promise.all(places.map(async (place) => (await fetch(place)).json()));
  expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
  const [{ issuer: named, jwks_uri, token_endpoint, revocation_endpoint }] = answers;
  expect(named).toBe(issuer.href);
  // RFC 8414, section 3.2: members without a value are left out.
  expect(
    Object.entries(answers[0]).filter(([, value]) => Array.isArray(value) && value.length === 0),
  ).toEqual([]);
  expect((await fetch(jwks_uri)).status).toBe(200);
  for (const endpoint of [token_endpoint, revocation_endpoint]) {
    const { status, headers } = await fetch(endpoint);
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  }
});
