import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

/** The pages: their addresses, what loads them, and their place in the navigation. */
export interface RouteEntry {
  /** In wouter's way: `:id` is a part. */
  readonly path: string;
  readonly Page: LazyExoticComponent<ComponentType>;
}

/** Each page is a chunk of its own, loaded when it is first shown. */
const page = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  lazy(async (): Promise<{ default: ComponentType }> => ({ default: (await load())[name] }));

/** The pages and their addresses. */
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
    path: '/diagnostics',
    Page: page(() => import('../pages/diagnostics/diagnostics-page.tsx'), 'DiagnosticsPage'),
  },
];
