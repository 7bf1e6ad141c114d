/** Pages without an id in their path. */
export const PLACES = [
  '/',
  '/jobs',
  '/workers',
  '/submit',
  '/farms',
  '/queues',
  '/usage-pools',
  '/storage-locations',
  '/compute-locations',
  '/diagnostics',
  '/products',
  '/presets',
  '/new-product',
];
