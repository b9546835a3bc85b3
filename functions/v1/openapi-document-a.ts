import document from '../../docs/openapi/v1.json' with { type: 'json' };

export const openApi: object = document;
