// What the nodes use of `n8n-workflow`, which is not installed for tests because of its size.

interface Shown {
  message?: string;
  description?: string;
  httpCode?: string;
  itemIndex?: number;
}

class NodeError extends Error {
  readonly node: unknown;
  readonly description: string | undefined;
  readonly context: Record<string, unknown> = {};

  constructor(node: unknown, cause: unknown, { message, description, itemIndex }: Shown = {}) {
    super(message ?? (typeof cause === 'string' ? cause : (cause as Error).message), { cause });
    this.node = node;
    this.description = description;
    if (itemIndex !== undefined) this.context.itemIndex = itemIndex;
  }
}

export class NodeOperationError extends NodeError {
  override name = 'NodeOperationError';
}

export class NodeApiError extends NodeError {
  override name = 'NodeApiError';
  readonly httpCode: string | null;

  constructor(node: unknown, cause: unknown, shown: Shown = {}) {
    super(node, cause, shown);
    this.httpCode = shown.httpCode ?? (cause as { httpCode?: string }).httpCode ?? null;
  }
}

export const NodeConnectionTypes = { Main: 'main' };

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
