import type { ICredentialTestRequest, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';
import { functionsUrlOf } from '../shared/base-url.ts';

export class PlacarOAuth2Api implements ICredentialType {
  name = 'placarOAuth2Api';

  extends = ['oAuth2Api'];

  displayName = 'Placar OAuth2 API';

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
    { displayName: 'Grant Type', name: 'grantType', type: 'hidden', default: 'clientCredentials' },
    {
      displayName: 'Access Token URL',
      name: 'accessTokenUrl',
      type: 'hidden',
      default: `${functionsUrlOf('$self')}/oauth/token`,
    },
    { displayName: 'Client ID', name: 'clientId', type: 'string', required: true, default: '' },
    {
      displayName: 'Client Secret',
      name: 'clientSecret',
      type: 'string',
      typeOptions: { password: true },
      required: true,
      default: '',
    },
    { displayName: 'Scope', name: 'scope', type: 'hidden', default: '' },
    { displayName: 'Authentication', name: 'authentication', type: 'hidden', default: 'body' },
  ];

  test: ICredentialTestRequest = {
    request: {
      baseURL: functionsUrlOf('$credentials'),
      url: '/v1/webhooks',
      qs: { per_page: 1 },
    },
  };
}
