// Date helpers: Asaas' dates have no time zone and refer to São Paulo.
import { addDays, dayInSaoPaulo } from '../../formats/sao-paulo.ts';

export { dayInSaoPaulo, startOfDay } from '../../formats/sao-paulo.ts';

/** The day before in São Paulo: a safe start for searches, even if clocks differ around midnight. */
export const dayBefore = (time: Date): string => addDays(dayInSaoPaulo(time), -1);
