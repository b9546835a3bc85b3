// Asaas writes days without a zone, and they are São Paulo's.

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

/** A day on which nothing of that time is yet: what to look from, also where a clock is some minutes off at midnight. */
export function dayBefore(time: Date): string {
  return dayInSaoPaulo(new Date(time.getTime() - DAY_MS));
}

/** The beginning of a day of theirs; São Paulo has had no daylight saving time since 2019. */
export function startOfDay(day: string): Date {
  return new Date(`${day.slice(0, 10)}T00:00:00-03:00`);
}
