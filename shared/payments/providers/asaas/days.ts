// Date helpers: Asaas' dates have no time zone and refer to São Paulo.

const DAY_MS = 86_400_000;

const saoPaulo = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** The day in São Paulo, `YYYY-MM-DD`. */
export function dayInSaoPaulo(time: Date): string {
  return saoPaulo.format(time);
}

/** The day before in São Paulo: a safe start for searches, even if clocks differ around midnight. */
export function dayBefore(time: Date): string {
  return dayInSaoPaulo(new Date(time.getTime() - DAY_MS));
}

/** A time such as `2026-11-23 16:45:03` in São Paulo. Undefined for other formats. */
export function timeInSaoPaulo(text: string | null | undefined): Date | undefined {
  return text && /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)
    ? new Date(`${text.replace(' ', 'T')}-03:00`)
    : undefined;
}

/** The start of a day in São Paulo, which has had no daylight saving time since 2019. */
export function startOfDay(day: string): Date {
  return new Date(`${day.slice(0, 10)}T00:00:00-03:00`);
}
