/** Time formats of Wise, which vary between resources. All are in UTC. */

const secondsOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 19);

/** `YYYY-MM-DD HH:mm:ss`, for transfers. */
export const spacedTime = (timeMs: number): string => secondsOf(timeMs).replace('T', ' ');

/** Seconds with a numeric zone, for rates. */
export const zonedTime = (timeMs: number): string => `${secondsOf(timeMs)}+0000`;

/** Seconds with `Z`, for quotes and older events. */
export const secondTime = (timeMs: number): string => `${secondsOf(timeMs)}Z`;

/** Milliseconds with `Z`, for statements and current events. */
export const fullTime = (timeMs: number): string => new Date(timeMs).toISOString();
