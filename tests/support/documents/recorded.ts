// Turns responses into examples by replacing values that differ between runs.

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.(\d{6}|\d{3})Z/g;
/** Days that follow from the day of the run. */
const DAY = /(?<="(?:paid|available)_on":")\d{4}-\d\d-\d\d(?=")/g;
const STORED_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00/g;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const PREFIXED = /\b(evt|whd|inv|po|rfd|txd|btxn|sbx|pacc|client|crm|run|dif)_[0-9A-Za-z]{12,}/g;
const FILE_TOKEN = /(?<=\/files\/)[0-9A-Za-z]{20,}/g;
const STATE = /(?<=[?&]state=)[0-9A-Za-z]{43}/g;
const BOARD_TOKEN = /board_[\w-]{43}/g;
/** Days in the sentences of point entries. */
const WRITTEN_DAY = /(?<= on )\d{1,2} [A-Z][a-z]{2} \d{4}/g;
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/g;
const OWN_MAIL = /[0-9a-f]{8}-[0-9a-f-]{27}@example\.com/g;
/** As the audit trail names a webhook. */
const SHORT_RECEIVER = /http:\/\/127\.0\.0\.1:\d+\/\.\.\./g;
const RECEIVER = /http:\/\/127\.0\.0\.1:\d+\/inbox\/records\/[0-9a-f-]{36}/g;

/** Members whose values differ in each run: signatures, numbers of artifacts, dates relative to today. */
const VOLATILE = new Set([
  ...[
    'age_seconds',
    'qr_code',
    'digitable_line',
    'barcode',
    'access_token',
    'x',
    'y',
    'kid',
    'client_secret',
    'token',
    'secret',
    'public_key',
    'api_key',
    'api_token',
    'key_start',
    'entry_id',
    'transaction',
    'slug',
  ],
  ...[
    'response_time_ms',
    'duration_ms',
    'response_status',
    'document_number',
    'status_code',
    'period',
    'cursor',
    'next_cursor',
  ],
]);

/** Replaces ids, times and addresses of a run with those of an example. The same id always has the same replacement. */
export function createStandIns() {
  const ids = new Map<string, string>();
  const standIn = (id: string, make: (n: number) => string) => {
    const known = ids.get(id) ?? make(ids.size + 1);
    ids.set(id, known);
    return known;
  };
  const text = (value: string) =>
    value
      .replaceAll(RECEIVER, 'https://crm.example.com/hooks/placar')
      .replaceAll(OWN_MAIL, 'bia.lima@example.com')
      .replaceAll(SHORT_RECEIVER, 'https://crm.example.com/...')
      .replaceAll(ADDRESS, 'http://127.0.0.1:54321')
      .replaceAll(TIME, (_, fraction: string) => `2026-03-02T14:05:09.${'123456'.slice(0, fraction.length)}Z`)
      .replaceAll(DAY, '2026-03-02')
      .replaceAll(STORED_TIME, '2026-03-02T14:05:09.123456+00:00')
      .replaceAll(UUID, (id) => standIn(id, (n) => `5a1c0e7e-52f5-4c5c-9f6e-${String(n).padStart(12, '0')}`))
      .replaceAll(PREFIXED, (id, prefix: string) =>
        standIn(id, (n) => `${prefix}_01kdvc2v0me5rtj6wm${String(n).padStart(8, '0')}`),
      )
      .replaceAll(BOARD_TOKEN, 'board_Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5Qm4Xr8Zt2Lp6Vd9Kb3N')
      .replaceAll(STATE, 'Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5Qm4Xr8Zt2Lp6Vd9Kb3N')
      .replaceAll(WRITTEN_DAY, '2 Mar 2026')
      .replaceAll(FILE_TOKEN, 'Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5');
  return (value: unknown): unknown =>
    value === undefined ? undefined : JSON.parse(text(JSON.stringify(value)));
}

/** For comparisons: members that vary keep only their type. */
export function withoutVolatile(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutVolatile);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      // Entries of the points ledger are numbered across all tenants.
      VOLATILE.has(name) || (name === 'id' && /^\d+$/.test(String(member)))
        ? member === null
          ? null
          : typeof member
        : withoutVolatile(member),
    ]),
  );
}
