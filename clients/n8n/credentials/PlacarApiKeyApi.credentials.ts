import type {
  ICredentialDataDecryptedObject,
  ICredentialTestRequest,
  ICredentialType,
  Icon,
  IHttpRequestOptions,
  INodeProperties,
} from 'n8n-workflow';
import { functionsUrlOf } from '../shared/base-url.ts';
import { signedAuthorization } from '../shared/signature.ts';

/** Payments accept API keys only as signatures. Tokens of persons and boards are sent as they are everywhere. */
async function authorizationOf(apiKey: string, { url, baseURL, method, body, qs }: IHttpRequestOptions) {
  const { pathname, search } = new URL((baseURL ?? '') + url);
  const target = pathname.replace(/^.*?\/functions\/v1(?=\/)/, '') + search;
  if (!apiKey.startsWith('sk_') || !target.startsWith('/payments/')) return `Bearer ${apiKey}`;
  // The query and the body have to be signed as they are sent.
  if (Object.keys(qs ?? {}).length > 0 || (body !== undefined && typeof body !== 'string')) {
    throw new TypeError('Send the query as part of the URL, and the body as text.');
  }
  return signedAuthorization(apiKey, { method: method ?? 'GET', target, body: body ?? '' });
}

export class PlacarApiKeyApi implements ICredentialType {
  name = 'placarApiKeyApi';

  displayName = 'Placar API Key API';

  icon: Icon = { light: 'file:../icons/placar.svg', dark: 'file:../icons/placar.dark.svg' };

  documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-placar#credentials';

  properties: INodeProperties[] = [
    {
      displayName: 'URL',
      name: 'url',
      type: 'string',
      required: true,
      default: '',
      placeholder: 'https://your-project.supabase.co',
      description: 'The URL of the Placar project',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      required: true,
      default: '',
      description:
        'A key for activity sync or payments. Operations for persons and boards need their token instead.',
    },
  ];

  authenticate = async (
    { apiKey }: ICredentialDataDecryptedObject,
    options: IHttpRequestOptions,
  ): Promise<IHttpRequestOptions> => ({
    ...options,
    headers: { ...options.headers, Authorization: await authorizationOf(String(apiKey), options) },
  });

  test: ICredentialTestRequest = {
    request: {
      baseURL: functionsUrlOf('$credentials'),
      url: '/payments/capabilities',
      // A key that is only for activity sync is valid, although it must not read this.
      ignoreHttpStatusErrors: { ignore: true, except: [401, 404, 500, 502, 503] },
    },
  };
}
