// The pages of people who sign in, besides those that everyone has.

import { payoutPage } from './pages/own/payout.tsx';
import { ownPoints } from './pages/own/points.tsx';
import { ownProfile, startPage } from './pages/own/profile.tsx';
import { ownBadges, ownChallenges, ownMissions } from './pages/own/progress.tsx';
import { navigation } from './pages.ts';
import { ownResources } from './resources/own.ts';
import { boards, people } from './resources/people.ts';
import { personPayments } from './resources/person-payments.ts';
import type { NavigationSection, Page } from './view.ts';

const pages: Readonly<Record<string, Page>> = {
  '/': startPage,
  '/payments/payouts/:id': payoutPage,
  '/me/points': ownPoints,
  '/me/badges': ownBadges,
  '/me/challenges': ownChallenges,
  '/me/missions': ownMissions,
  '/me/profile': ownProfile,
};

export const personPages = { pages, resources: [...ownResources, ...personPayments, people, boards] };

const scopes = ['self'];

const ofPeople = [
  { path: '/access/people', name: 'People', scopes: ['manage:access'] },
  { path: '/access/boards', name: 'Boards', scopes: ['manage:access'] },
] as const;

/** What differs from the console on one's own machine. */
function changesOf({ path, tabs = [] }: NavigationSection): Partial<NavigationSection> {
  if (path === '/access/keys') return { tabs: [...tabs, ...ofPeople] };
  // The reference is for people who integrate.
  return path === '/reference' ? { scopes: ['read:settings'] } : {};
}

export const personNavigation: readonly NavigationSection[] = [
  {
    path: '/me/points',
    name: 'Me',
    icon: 'persons',
    tabs: [
      { path: '/me/points', name: 'My points', scopes },
      { path: '/me/badges', name: 'Badges', scopes },
      { path: '/me/challenges', name: 'Challenges', scopes },
      { path: '/me/missions', name: 'Missions', scopes },
      { path: '/me/leads', name: 'My leads', scopes },
      { path: '/me/deals', name: 'My deals', scopes },
      { path: '/me/profile', name: 'Profile', scopes },
    ],
  },
  ...navigation.map((section) => ({ ...section, ...changesOf(section) })),
];
