// The path and schedule of the sweep.

export const SWEEP_PATH = '/callbacks/sweep';
export const SWEEP_SCHEDULE_ID = 'placar-sweep';
export const SWEEP_CRON = '* * * * *';
