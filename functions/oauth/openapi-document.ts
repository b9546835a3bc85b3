import document from '../../docs/openapi/oauth.json' with { type: 'json' };

export const openApi: object = document;
