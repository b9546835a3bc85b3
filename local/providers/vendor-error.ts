/** A refusal in the vendor's own words, thrown anywhere below a request and answered as it is. */
export class VendorError extends Error {
  readonly status: number;
  /** Undefined answers with an empty body. */
  readonly body: unknown;
  readonly headers: Record<string, string>;

  constructor(status: number, body: unknown, headers: Record<string, string> = {}) {
    super(`${status} ${JSON.stringify(body) ?? ''}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }

  toResponse(): Response {
    const { status, body, headers } = this;
    if (body === undefined) return new Response(null, { status, headers });
    return Response.json(body, { status, headers });
  }
}
