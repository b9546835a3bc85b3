import document from '../../docs/openapi/default-integration.json' with { type: 'json' };

export const openApi: object = document;
