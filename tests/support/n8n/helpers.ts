// The functions that n8n gives to nodes, over real HTTP.
import type { BuiltPackage, CredentialUse, Description, Property, RequestOptions } from './build-nodes.ts';

export type Parameters = Record<string, unknown>;
export type CredentialData = Record<string, Record<string, string>>;

type Condition = Pick<Property, 'displayOptions'>;

/** Whether n8n shows a parameter or a credential for these values of the others. */
export function isDisplayed(
  { displayOptions: { show = {}, hide = {} } = {} }: Condition,
  given: Parameters,
): boolean {
  const matches = ([name, values]: [string, unknown[]]) => values.includes(given[name]);
  return Object.entries(show).every(matches) && !Object.entries(hide).some(matches);
}

/** The given parameters, with the defaults of the others. Throws if one is not displayed or a required one is missing. */
export function parametersOf({ properties }: Description, given: Parameters): Parameters {
  const values: Parameters = { ...given };
  // Defaults decide what is displayed, so they are added until there are no more.
  for (let count = -1; count !== Object.keys(values).length; ) {
    count = Object.keys(values).length;
    for (const property of properties) {
      if (!(property.name in values) && isDisplayed(property, values))
        values[property.name] = property.default;
    }
  }
  const displayed = properties.filter((property) => isDisplayed(property, values));
  for (const name of Object.keys(given)) {
    const property = displayed.find((one) => one.name === name);
    if (!property) throw new Error(`n8n does not show ${name}`);
    if (property.type === 'collection') checkCollection(property, given[name] as Parameters);
  }
  for (const { name, required } of displayed) {
    const value = values[name];
    if (required && (value === '' || (Array.isArray(value) && value.length === 0)))
      throw new Error(`${name} is required`);
  }
  return values;
}

function checkCollection({ options = [], name }: Property, given: Parameters): void {
  // n8n looks for required fields of collections even if they have not been added.
  if (options.some(({ required }) => required)) throw new Error(`${name} has required fields`);
  const names = options.map((option) => option.name);
  for (const field of Object.keys(given))
    if (!names.includes(field)) throw new Error(`n8n does not show ${field} in ${name}`);
}

/** Evaluates an expression of a credential, such as `={{$self["url"]}}/x`. */
export function evaluate(expression: string, values: Record<string, string>): string {
  return expression
    .replace(/^=/, '')
    .replace(/\{\{(.*?)\}\}/g, (_, code: string) =>
      new Function('$self', '$credentials', `return ${code}`)(values, values),
    );
}

/** Tokens by credential: n8n stores the token with the credential, until the API rejects it. */
export class Authentication {
  readonly #built: BuiltPackage;
  readonly #data: CredentialData;
  readonly tokens = new Map<string, string>();

  constructor(built: BuiltPackage, data: CredentialData) {
    this.#built = built;
    this.#data = data;
  }

  dataOf(
    description: Pick<Description, 'credentials'>,
    name: string,
    parameters: Parameters,
  ): Record<string, string> {
    const use: CredentialUse | undefined = description.credentials.find((one) => one.name === name);
    const data = this.#data[name];
    if (!use || !data || !isDisplayed(use, parameters))
      throw new Error(`n8n does not offer the credential ${name}`);
    return data;
  }

  /** Sends a request as `httpRequestWithAuthentication` does. */
  async request(name: string, options: RequestOptions): Promise<object> {
    const type = this.#built.credentials[name];
    const data = this.#data[name];
    if (!type || !data) throw new Error(`no credential ${name}`);
    if (type.authenticate) return send(await type.authenticate(data, options));
    const withToken = async () => ({
      ...options,
      headers: { ...options.headers, Authorization: `Bearer ${await this.#token(name, data)}` },
    });
    return send(await withToken()).catch(async (error) => {
      if (error.httpCode !== '401' || !this.tokens.delete(name)) throw error;
      return send(await withToken());
    });
  }

  async #token(name: string, data: Record<string, string>): Promise<string> {
    const known = this.tokens.get(name);
    if (known) return known;
    const setting = (setting: string) =>
      evaluate(
        String(this.#built.credentials[name]?.properties.find((one) => one.name === setting)?.default),
        data,
      );
    if (setting('authentication') !== 'body')
      throw new Error('the harness sends client credentials in the body');
    const { clientId = '', clientSecret = '' } = data;
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const response = await fetch(setting('accessTokenUrl'), {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    const { access_token: token } = await response.json();
    if (!token) throw new Error('Failed to acquire OAuth2 access token');
    this.tokens.set(name, token);
    return token;
  }
}

async function send({
  method = 'GET',
  url,
  headers = {},
  body,
  ignoreHttpStatusErrors,
}: RequestOptions): Promise<object> {
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  const isError = ignoreHttpStatusErrors
    ? ignoreHttpStatusErrors.except.includes(response.status)
    : !response.ok;
  if (isError) {
    throw Object.assign(new Error(`Request failed with status code ${response.status}`), {
      httpCode: String(response.status),
    });
  }
  return { statusCode: response.status, headers: Object.fromEntries(response.headers), body: text };
}
