import document from '../../docs/openapi/v1-c.json' with { type: 'json' };

export const openApi: object = document;
