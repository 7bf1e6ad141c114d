import type { ComponentType } from 'react';
import { lazyPart } from '../parts/lazy-part.tsx';

/** Path, page and loader of a route. */
export interface RouteEntry {
  /** Pattern of wouter: `:id` matches one path segment. */
  readonly path: string;
  readonly Page: ComponentType;
}

/** Loads a page in its own chunk when it is first shown. */
const page = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  lazyPart<object>(async () => (await load())[name]);

/** All pages. */
export const ROUTES: readonly RouteEntry[] = [
  { path: '/', Page: page(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage') },
  { path: '/jobs', Page: page(() => import('../pages/jobs/jobs-page.tsx'), 'JobsPage') },
  { path: '/jobs/:id', Page: page(() => import('../pages/job/job-page.tsx'), 'JobPage') },
  { path: '/tasks/:id', Page: page(() => import('../pages/task/task-page.tsx'), 'TaskPage') },
  { path: '/workers', Page: page(() => import('../pages/workers/workers-page.tsx'), 'WorkersPage') },
  { path: '/workers/:id', Page: page(() => import('../pages/worker/worker-page.tsx'), 'WorkerPage') },
  { path: '/submit', Page: page(() => import('../pages/submit/submit-page.tsx'), 'SubmitPage') },
  { path: '/farms', Page: page(() => import('../pages/farms/farms-page.tsx'), 'FarmsPage') },
  { path: '/queues', Page: page(() => import('../pages/queues/queues-page.tsx'), 'QueuesPage') },
  {
    path: '/storage-locations',
    Page: page(() => import('../pages/storage-locations/storage-locations-page.tsx'), 'StorageLocationsPage'),
  },
  {
    path: '/compute-locations',
    Page: page(() => import('../pages/compute-locations/compute-locations-page.tsx'), 'ComputeLocationsPage'),
  },
  {
    path: '/usage-pools',
    Page: page(() => import('../pages/usage-pools/usage-pools-page.tsx'), 'UsagePoolsPage'),
  },
  {
    path: '/sign-in-command',
    Page: page(() => import('../pages/sign-in-command/sign-in-command-page.tsx'), 'SignInCommandPage'),
  },
  {
    path: '/diagnostics',
    Page: page(() => import('../pages/diagnostics/diagnostics-page.tsx'), 'DiagnosticsPage'),
  },
];
