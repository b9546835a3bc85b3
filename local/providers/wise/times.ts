/** Moments as Wise writes them, which is not the same everywhere. All are in UTC. */

const secondsOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 19);

/** `YYYY-MM-DD HH:mm:ss`, of transfers. */
export const spacedTime = (timeMs: number): string => secondsOf(timeMs).replace('T', ' ');

/** To the second, with a zone of digits, of rates. */
export const zonedTime = (timeMs: number): string => `${secondsOf(timeMs)}+0000`;

/** To the second, with `Z`, of quotes and older events. */
export const secondTime = (timeMs: number): string => `${secondsOf(timeMs)}Z`;

/** To the millisecond, with `Z`, of statements and events of today. */
export const fullTime = (timeMs: number): string => new Date(timeMs).toISOString();
