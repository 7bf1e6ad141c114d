import type { Worker } from '../../../client/resources.ts';

/** Returns a worker in the format of the REST API. */
export const aWorker = (change: Partial<Worker> = {}): Worker => ({
  id: 'w1',
  name: 'node-1',
  hostname: 'node-1.farm',
  farm_id: 'f',
  status: 'online',
  compute_location: 'cph',
  cpu_count: 8,
  committed_cores: 0,
  current_task_count: 0,
  memory_mib: 32_768,
  gpu_count: 0,
  gpu_memory_mib: 0,
  gpu_models: [],
  scratch_mib: 0,
  os: 'linux',
  os_version: 'debian-12',
  arch: 'x86_64',
  version: '0.9.0',
  queue_ids: [],
  tags: {},
  last_heartbeat_at: '2026-01-01T00:00:00Z',
  registered_at: '2026-01-01T00:00:00Z',
  failed_attempts: 0,
  ...change,
});
