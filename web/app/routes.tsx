import type { ComponentType } from 'react';
import { lazyPart } from '../parts/lazy-part.tsx';
import type { Permission } from '../state/permissions.ts';

/** Path, page and loader of a route. */
export interface RouteEntry {
  /** Pattern of wouter: `:id` matches one path segment. */
  readonly path: string;
  readonly Page: ComponentType;
  /** The permission to see the page; null if every user may. */
  readonly needs: Permission | null;
}

/** Loads a page in its own chunk when it is first shown. */
const page = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  lazyPart<object>(async () => (await load())[name]);

/** All pages. */
export const ROUTES: readonly RouteEntry[] = [
  {
    path: '/',
    Page: page(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
    needs: 'jobs.read',
  },
  { path: '/jobs', Page: page(() => import('../pages/jobs/jobs-page.tsx'), 'JobsPage'), needs: 'jobs.read' },
  { path: '/jobs/:id', Page: page(() => import('../pages/job/job-page.tsx'), 'JobPage'), needs: 'jobs.read' },
  {
    path: '/tasks/:id',
    Page: page(() => import('../pages/task/task-page.tsx'), 'TaskPage'),
    needs: 'jobs.read',
  },
  {
    path: '/workers',
    Page: page(() => import('../pages/workers/workers-page.tsx'), 'WorkersPage'),
    needs: 'workers.read',
  },
  {
    path: '/workers/:id',
    Page: page(() => import('../pages/worker/worker-page.tsx'), 'WorkerPage'),
    needs: 'workers.read',
  },
  {
    path: '/worker-tokens',
    Page: page(() => import('../pages/worker-tokens/worker-tokens-page.tsx'), 'WorkerTokensPage'),
    needs: 'infra.manage',
  },
  { path: '/submit', Page: page(() => import('../pages/submit/submit-page.tsx'), 'SubmitPage'), needs: null },
  {
    path: '/products',
    Page: page(() => import('../pages/products/products-page.tsx'), 'ProductsPage'),
    needs: 'products.read',
  },
  {
    path: '/products/:name',
    Page: page(() => import('../pages/products/product-page.tsx'), 'ProductPage'),
    needs: 'products.read',
  },
  {
    path: '/products/:group/:name',
    Page: page(() => import('../pages/products/product-page.tsx'), 'ProductPage'),
    needs: 'products.read',
  },
  {
    path: '/new-product',
    Page: page(() => import('../pages/products/new-product-page.tsx'), 'NewProductPage'),
    needs: 'products.manage',
  },
  {
    path: '/presets',
    Page: page(() => import('../pages/presets/presets-page.tsx'), 'PresetsPage'),
    needs: 'products.read',
  },
  {
    path: '/presets/:name',
    Page: page(() => import('../pages/presets/preset-page.tsx'), 'PresetPage'),
    needs: 'products.read',
  },
  {
    path: '/presets/:group/:name',
    Page: page(() => import('../pages/presets/preset-page.tsx'), 'PresetPage'),
    needs: 'products.read',
  },
  {
    path: '/farms',
    Page: page(() => import('../pages/farms/farms-page.tsx'), 'FarmsPage'),
    needs: 'infra.read',
  },
  {
    path: '/queues',
    Page: page(() => import('../pages/queues/queues-page.tsx'), 'QueuesPage'),
    needs: 'infra.read',
  },
  {
    path: '/queues/:id',
    Page: page(() => import('../pages/queue/queue-page.tsx'), 'QueuePage'),
    needs: 'infra.read',
  },
  {
    path: '/storage-locations',
    Page: page(() => import('../pages/storage-locations/storage-locations-page.tsx'), 'StorageLocationsPage'),
    needs: 'infra.read',
  },
  {
    path: '/compute-locations',
    Page: page(() => import('../pages/compute-locations/compute-locations-page.tsx'), 'ComputeLocationsPage'),
    needs: 'infra.read',
  },
  {
    path: '/usage-pools',
    Page: page(() => import('../pages/usage-pools/usage-pools-page.tsx'), 'UsagePoolsPage'),
    needs: 'infra.read',
  },
  {
    path: '/usage-pools/:id',
    Page: page(() => import('../pages/usage-pools/usage-pool-page.tsx'), 'UsagePoolPage'),
    needs: 'jobs.read',
  },
  {
    path: '/webhooks',
    Page: page(() => import('../pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
    needs: 'jobs.write',
  },
  {
    path: '/sign-in-command',
    Page: page(() => import('../pages/sign-in-command/sign-in-command-page.tsx'), 'SignInCommandPage'),
    needs: 'apikeys.self',
  },
  {
    path: '/diagnostics',
    Page: page(() => import('../pages/diagnostics/diagnostics-page.tsx'), 'DiagnosticsPage'),
    needs: 'diagnostics.read',
  },
  {
    path: '/account',
    Page: page(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
    needs: null,
  },
  {
    path: '/users',
    Page: page(() => import('../pages/users/users-page.tsx'), 'UsersPage'),
    needs: 'users.read',
  },
  {
    path: '/audit',
    Page: page(() => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
    needs: 'users.read',
  },
];
