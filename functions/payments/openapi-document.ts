import document from '../../docs/openapi/payments.json' with { type: 'json' };

export const openApi: object = document;
