// Storage paths and public URLs of files.

export const boletoPath = (tenantId: string, invoiceId: string) => `${tenantId}/${invoiceId}/boleto.pdf`;
// Storage paths of the files of an issued tax document.
export const xmlPath = (tenantId: string, id: string) => `${tenantId}/${id}/nfse.xml`;
export const pdfPath = (tenantId: string, id: string) => `${tenantId}/${id}/nfse.pdf`;

/** Format of the token in public URLs. Other tokens are rejected without a query. */
export const isToken = (token: string): boolean => /^[0-9A-Za-z]{32}$/.test(token);

/** Public URL of a payer's file. Requires no authentication. */
export const fileUrl = (functionsUrl: string, token: string, name: string): string =>
  `${functionsUrl}/payments/files/${token}/${name}`;

/** Public URL at which a payer pays an invoice. Requires no authentication. */
export const payLinkUrl = (functionsUrl: string, token: string): string =>
  `${functionsUrl}/payments/pay/${token}`;
