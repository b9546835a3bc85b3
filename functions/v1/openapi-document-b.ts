import document from '../../docs/openapi/v1-b.json' with { type: 'json' };

export const openApi: object = document;
