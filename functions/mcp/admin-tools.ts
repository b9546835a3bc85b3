// Admin tools: settings, gamification, automations, logs and payouts.
import { ApiError, invalid } from '../../shared/platform/errors.ts';
import type { OperationName } from './endpoints.ts';
import { listFeed, listPages } from './lists.ts';
import type { RunOperation } from './operations.ts';
import { chosen, pagesOf, reading, recordIn, type Tool, writeBy, writing, writtenIn } from './tool.ts';

const getWorkspace: Tool = {
  title: 'Get the settings of the workspace and the usage of its plan',
  scopes: ['read:settings'],
  ...reading,
  operations: ['adminGetSettings', 'adminGetPlan'],
  async run(_, run) {
    const settings = recordIn(await run('adminGetSettings', {}));
    return { settings, plan: recordIn(await run('adminGetPlan', {})) };
  },
};

export const gamificationKinds = {
  missions: 'adminListMissions',
  activity_codes: 'adminListActivityCodes',
  point_rules: 'adminListPointRules',
  tiers: 'adminListTiers',
  badges: 'adminListBadges',
  challenges: 'adminListChallenges',
  seasons: 'adminListSeasons',
  stages: 'adminListStages',
  players: 'adminListPlayers',
} as const satisfies Record<string, OperationName>;

const listGamification: Tool = {
  title: 'List missions, codes, rules, tiers, badges, challenges, seasons, stages or players',
  scopes: ['read:settings'],
  ...reading,
  operations: Object.values(gamificationKinds),
  async run({ kind, ...given }, run) {
    const operation = chosen(gamificationKinds, { kind }) ?? 'adminListMissions';
    if (given.mapped !== undefined && kind !== 'activity_codes')
      throw invalid('argument', 'mapped', 'is only for activity_codes');
    return await listPages(run, { operation, given });
  },
};

const listAutomations: Tool = {
  title: 'List automations, or the runs of one',
  scopes: ['read:settings'],
  ...reading,
  operations: ['adminListAutomations', 'adminListAutomationRuns'],
  run: ({ automation, ...given }, run) =>
    automation === undefined
      ? listPages(run, { operation: 'adminListAutomations', given })
      : listPages(run, { operation: 'adminListAutomationRuns', params: { id: String(automation) }, given }),
};

/** A tool that lists a log. */
const logOf = (operation: OperationName, title: string): Tool => ({
  title,
  scopes: ['read:audit'],
  ...reading,
  operations: [operation],
  run: (given, run) => listFeed(run, { operation, given }),
});

const isError = (error: unknown, code: ApiError['code']) => error instanceof ApiError && error.code === code;

/** Changes the mission of this name; undefined if there is none. */
async function changeMission(name: string, json: Record<string, unknown>, run: RunOperation) {
  try {
    return writtenIn(await run('adminUpdateMission', { params: { id: name }, json }));
  } catch (error) {
    if (isError(error, 'not_found')) return undefined;
    throw error;
  }
}

const saveMission: Tool = {
  title: 'Create a mission, or change the one with this name',
  scopes: ['manage:gamification'],
  ...writing,
  idempotent: true,
  operations: ['adminCreateMission', 'adminUpdateMission'],
  async run({ name, ...json }, run) {
    // The operation that creates a mission rejects other names.
    const isName = typeof name === 'string' && name.trim() !== '';
    const changed = isName && (await changeMission(name, json, run));
    if (changed) return changed;
    try {
      return writtenIn(await run('adminCreateMission', { json: { name, ...json } }));
    } catch (error) {
      // Another request may have created it in the meantime.
      const again = isName && isError(error, 'conflict') && (await changeMission(name, json, run));
      if (again) return again;
      throw error;
    }
  },
};

const requestPayout: Tool = {
  ...writeBy('requestPayout', 'Request a payout, which waits for approval', ['request:payouts'], {
    idempotent: true,
  }),
  operations: ['createPayout'],
};

const managing = ['manage:gamification'] as const;

export const adminTools = {
  adjust_points: writeBy('adminAdjustPoints', 'Add points to a player, or deduct them', managing, {
    idempotent: true,
  }),
  create_challenge: writeBy('adminCreateChallenge', 'Create a challenge', managing, { idempotent: false }),
  find_changes: logOf('adminListChanges', 'Find changes to the setup of the workspace'),
  find_requests: logOf('adminListRequests', 'Find requests and why they failed'),
  get_workspace: getWorkspace,
  list_automations: listAutomations,
  list_gamification: listGamification,
  list_payouts: pagesOf('adminListAdminPayouts', 'List payouts', ['read:payments']),
  request_payout: requestPayout,
  save_mission: saveMission,
  set_point_rule: writeBy('adminSetPointRule', 'Set the points for an event', managing, { idempotent: true }),
} satisfies Record<string, Tool>;
