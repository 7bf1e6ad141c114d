import type { WorkerConfig } from '../../src/core/config/worker-config.ts';

/** The isolation settings of a worker with every part switched off. */
export const isolationOff: WorkerConfig['isolation'] = {
  enabled: true,
  defaultUser: '',
  envPassthrough: [],
  envDeny: [],
  limits: 'off',
  memoryFactor: 0,
  pidsMax: 0,
  wholeCores: false,
  network: 'open',
  diskQuotaBytes: 0,
  privateTmp: false,
  hideProcesses: false,
  noNewPrivileges: false,
};
