// Structured logging: one JSON object per line. Never pass bodies, keys or signatures to a logger.

const levels = { debug: 10, info: 20, warn: 30, error: 40 } as const;
type LogLevel = keyof typeof levels;
export type LogFields = Record<string, string | number | boolean | null | undefined>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Returns a logger that adds these fields to each line, such as the request id. */
  with(fields: LogFields): Logger;
}

/** Hosted logs truncate messages after 10 000 characters. Fields are truncated earlier, so that the line stays valid JSON. */
const MAX_FIELD_LENGTH = 4000;

export function createLogger(minimum: LogLevel, base: LogFields = {}): Logger {
  const write = (level: LogLevel) => (message: string, fields?: LogFields) => {
    if (levels[level] < levels[minimum]) return;
    const line = { at: new Date().toISOString(), level, message, ...base, ...fields };
    console[level](
      JSON.stringify(line, (_, value) =>
        typeof value === 'string' ? value.slice(0, MAX_FIELD_LENGTH) : value,
      ),
    );
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    with: (fields) => createLogger(minimum, { ...base, ...fields }),
  };
}

/** A logger that discards everything. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silentLogger,
};

/** Converts an error to log fields: name and message, code, and stack. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: String(error) };
  const code = 'code' in error ? String(error.code) : undefined;
  return { error: `${error.name}: ${error.message}`, error_code: code, stack: error.stack };
}
