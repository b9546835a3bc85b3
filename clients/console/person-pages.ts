// The pages of people who sign in, besides those that everybody has.

import { ownPoints } from './pages/own/points.tsx';
import { ownProfile, startPage } from './pages/own/profile.tsx';
import { ownBadges, ownChallenges, ownMissions } from './pages/own/progress.tsx';
import { navigation } from './pages.ts';
import { ownResources } from './resources/own.ts';
import type { NavigationSection, Page } from './view.ts';

const pages: Readonly<Record<string, Page>> = {
  '/': startPage,
  '/me/points': ownPoints,
  '/me/badges': ownBadges,
  '/me/challenges': ownChallenges,
  '/me/missions': ownMissions,
  '/me/profile': ownProfile,
};

export const personPages = { pages, resources: ownResources };

const scopes = ['self'];

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
  // The reference is for people who integrate.
  ...navigation.map((section) =>
    section.path === '/reference' ? { ...section, scopes: ['read:settings'] as const } : section,
  ),
];
