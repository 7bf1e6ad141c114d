/**
 * Test files that only `npm run test:nightly` runs, or `npm test` when they are named: they need most of the time of the whole suite.
 * docs/testing.md#nightly lists them with what runs by day for the same part.
 */
export const NIGHTLY = [
  // Outages, kills and floods that take minutes.
  ...['outage', 'killed-bus', 'killed-worker'].map((name) => `dist/test/e2e/survival/${name}.test.js`),
  ...[
    'bus-outage',
    'faults',
    'faults-of-the-network',
    'full-disk',
    'large-job',
    'leases-are-read',
    'log-spool',
    'nats-cluster',
    'no-bus',
    'request-limits',
    'shutdown',
    'start-after',
  ].map((name) => `dist/test/e2e/${name}.test.js`),
  // Whole sessions with identity providers, buses and clients.
  ...[
    'accounts-cli',
    'browser-attacks',
    'bus-attacks',
    'capabilities',
    'catalog',
    'cli-journeys',
    'cli-session',
    'client-library',
    'concurrent-changes',
    'diagnostics',
    'directory-logins',
    'discovery',
    'expression-limits',
    'expressions',
    'foreign-worker',
    'oidc',
    'previews',
    'web-server',
    'webhooks',
    'worker-join',
  ].map((name) => `dist/test/e2e/${name}.test.js`),
  // Details of the pages.
  ...[
    'frame',
    'hostile',
    'job-timeline',
    'pages/accounts',
    'pages/catalogs',
    'pages/jobs',
    'pages/outputs',
    'pages/previews',
    'pages/products',
    'pages/submit',
    'pages/task',
    'pages/webhooks',
    'pages/workers',
    'readmes',
    'site',
  ].map((name) => `dist/test/web/${name}.test.js`),
  // Client libraries and add-ons against a service.
  'dist/test/clients/javascript.test.js',
  'dist/test/clients/python.test.js',
  'dist/test/integrations/blender.test.js',
  // Every preset, every point of a crash, the test runner itself, container files.
  'dist/test/presets/stand-ins.test.js',
  'dist/test/presets/watch.test.js',
  'dist/test/adapters/lmdb/crash-points.test.js',
  'dist/test/adapters/lmdb/state-store.test.js',
  'dist/test/scripts/mutants.test.js',
  'dist/test/scripts/test-runner.test.js',
  'dist/test/deploy/containers.test.js',
  // Programs of Debian that only they need.
  'dist/test/deploy/prometheus.test.js',
  'dist/test/deploy/debian-package.test.js',
];
