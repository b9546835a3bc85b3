// Where and how often the sweep is called.

export const SWEEP_PATH = '/callbacks/sweep';
export const SWEEP_SCHEDULE_ID = 'placar-sweep';
export const SWEEP_CRON = '* * * * *';
