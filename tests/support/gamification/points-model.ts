// A model of the points rules in plain TypeScript, for comparison with the database.

export const STAGES = ['Prospecting', 'Qualification', 'Proposal'] as const;
export const TIERS = [
  ['Bronze', 0],
  ['Silver', 15],
  ['Gold', 30],
] as const;
export const MISSIONS = ['Calls', 'Visits'] as const;
/** Rewards of two challenges without an end: for two owned deals, and for 60 points. */
export const DEALS_CHALLENGE = { target: 2, reward: 15 };
export const POINTS_CHALLENGE = { target: 60, reward: 30 };

type Stage = (typeof STAGES)[number];
type Mission = (typeof MISSIONS)[number];

interface Deal {
  owner: string | null;
  stage: Stage;
  status: 'open' | 'won' | 'lost';
}

interface Lead {
  owner: string | null;
  status: string;
}

interface Activity {
  who: string;
  code: string;
  counted: { mission: Mission; points: number } | null;
  void: boolean;
}

export class PointsModel {
  readonly points = new Map<string, number>();
  readonly users = new Set<string>();
  readonly collaborators = new Set<string>();
  readonly rules = new Map<string, number>();
  /** How many times per day a rule awards points. A history covers one day. */
  readonly bounds = new Map<string, number>();
  readonly optedOut = new Set<string>();
  readonly #times = new Map<string, number>();
  readonly missionPoints = new Map<Mission, number>();
  readonly mapping = new Map<string, Mission>();
  readonly activities: Activity[] = [];
  readonly deals: Deal[] = [];
  readonly leads: Lead[] = [];
  readonly #completed = new Set<string>();

  join(kind: 'users' | 'collaborators', who: string): void {
    this[kind].add(who);
    this.points.set(who, this.points.get(who) ?? 0);
  }

  leave(who: string): void {
    this.users.delete(who);
    for (const record of [...this.deals, ...this.leads]) if (record.owner === who) record.owner = null;
  }

  #award(who: string | null, points: number | undefined): void {
    if (who !== null && points) this.points.set(who, (this.points.get(who) ?? 0) + points);
  }

  #awardByRule(who: string | null, rule: string): void {
    const points = this.rules.get(rule);
    if (who === null || !points) return;
    const key = `${rule} ${who}`;
    const times = this.#times.get(key) ?? 0;
    if (times >= (this.bounds.get(rule) ?? Number.POSITIVE_INFINITY)) return;
    this.#times.set(key, times + 1);
    this.#award(who, points);
  }

  adjust(who: string, points: number): void {
    this.#award(who, points);
  }

  voidActivity(activity: Activity): void {
    activity.void = true;
    this.#count(activity);
  }

  createDeal(owner: string | null, status: Deal['status']): void {
    this.deals.push({ owner, stage: 'Prospecting', status });
    if (status === 'won') this.#awardByRule(owner, 'deal.won');
  }

  changeDeal(deal: Deal, change: Partial<Deal>): void {
    const before = { ...deal };
    Object.assign(deal, change);
    if (deal.stage !== before.stage) {
      const own = `deal.stage_changed ${deal.stage}`;
      this.#awardByRule(deal.owner, this.rules.has(own) ? own : 'deal.stage_changed');
    }
    if (deal.status !== before.status && deal.status === 'won') {
      this.#awardByRule(deal.owner, 'deal.won');
    }
  }

  createLead(owner: string | null, status: string): void {
    const lead = { owner, status: 'new' };
    this.leads.push(lead);
    this.changeLead(lead, { status });
  }

  changeLead(lead: Lead, change: Partial<Lead>): void {
    const { status } = lead;
    Object.assign(lead, change);
    if (lead.status !== status && lead.status === 'qualified') {
      this.#awardByRule(lead.owner, 'lead.qualified');
    }
  }

  log(deal: Deal): void {
    this.#awardByRule(deal.owner, 'activity.completed');
  }

  record(who: string, code: string): void {
    const activity = { who, code, counted: null, void: false };
    this.activities.push(activity);
    this.#count(activity);
  }

  map(code: string, mission: Mission | null): void {
    if (this.mapping.get(code) === (mission ?? undefined)) return;
    if (mission) this.mapping.set(code, mission);
    else this.mapping.delete(code);
    for (const activity of this.activities) if (activity.code === code) this.#count(activity);
  }

  #count(activity: Activity): void {
    this.#award(activity.who, -(activity.counted?.points ?? 0));
    const mission = activity.void ? undefined : this.mapping.get(activity.code);
    activity.counted = mission ? { mission, points: this.missionPoints.get(mission) ?? 0 } : null;
    this.#award(activity.who, activity.counted?.points);
  }

  /** Awards rewards until there are none left. */
  recount(): void {
    const earned = [...this.#people()].flatMap((who) => {
      const deals = this.deals.filter(({ owner }) => owner === who).length;
      return [
        ...(deals >= DEALS_CHALLENGE.target
          ? [{ who, key: `${who} deals`, points: DEALS_CHALLENGE.reward }]
          : []),
        ...((this.points.get(who) ?? 0) >= POINTS_CHALLENGE.target
          ? [{ who, key: `${who} points`, points: POINTS_CHALLENGE.reward }]
          : []),
      ];
    });
    const fresh = earned.filter(({ key }) => !this.#completed.has(key));
    for (const { who, key, points } of fresh) {
      this.#completed.add(key);
      this.#award(who, points);
    }
    if (fresh.length > 0) this.recount();
  }

  #people(): Set<string> {
    return new Set([...this.users, ...this.collaborators]);
  }

  /** All players, as `admin.standings` returns them. */
  standings(): { name: string; points: number; position: number | null }[] {
    const rows = [...this.#people()].map((name) => ({ name, points: this.points.get(name) ?? 0 }));
    const ranked = rows.filter(({ name }) => !this.optedOut.has(name));
    const placeOf = (own: number) => 1 + ranked.filter(({ points }) => points > own).length;
    return rows
      .map((row) => ({ ...row, position: this.optedOut.has(row.name) ? null : placeOf(row.points) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  tier(who: string): string | null {
    const reached = TIERS.filter(([, from]) => from <= (this.points.get(who) ?? 0));
    return reached.at(-1)?.[0] ?? null;
  }

  /** Completions that count, as `admin.mission_progress` returns them. */
  completions(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { who, counted } of this.activities) {
      if (counted) counts[`${who} ${counted.mission}`] = (counts[`${who} ${counted.mission}`] ?? 0) + 1;
    }
    return counts;
  }
}
