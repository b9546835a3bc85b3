/** An error in the provider's own wording. Thrown by a request handler and sent unchanged. */
export class VendorError extends Error {
  readonly status: number;
  /** Undefined for an empty body. */
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
