import type { IsolationPart } from './isolation-part.ts';

/** Settings that decide which parts of the isolation apply to the tasks of a worker. */
export interface AppliedIsolation {
  readonly limits: 'auto' | 'off' | 'required';
  readonly memoryFactor: number;
  readonly pidsMax: number;
  readonly wholeCores: boolean;
  readonly network: 'open' | 'none';
  readonly diskQuotaBytes: number;
  readonly privateTmp: boolean;
  readonly hideProcesses: boolean;
  readonly noNewPrivileges: boolean;
  /** Set if no task runs as the account of the worker. */
  readonly hasTaskAccounts: boolean;
}

/** Parts of the machine that a capability needs, and whether the settings use it. */
const CAPABILITIES: readonly {
  readonly name: string;
  readonly part: string | null;
  readonly isUsed: (settings: AppliedIsolation) => boolean;
}[] = [
  {
    name: 'memory_limit',
    part: 'memory limit',
    isUsed: ({ limits, memoryFactor }) => limits !== 'off' && memoryFactor > 0,
  },
  {
    name: 'process_limit',
    part: 'process limit',
    isUsed: ({ limits, pidsMax }) => limits !== 'off' && pidsMax > 0,
  },
  { name: 'cpu_weight', part: 'CPU weight', isUsed: ({ limits }) => limits !== 'off' },
  {
    name: 'whole_cores',
    part: 'whole cores',
    isUsed: ({ limits, wholeCores }) => limits !== 'off' && wholeCores,
  },
  { name: 'private_tmp', part: 'private tmp', isUsed: ({ privateTmp }) => privateTmp },
  { name: 'hidden_processes', part: 'hidden processes', isUsed: ({ hideProcesses }) => hideProcesses },
  { name: 'no_network', part: 'network', isUsed: ({ network }) => network === 'none' },
  { name: 'disk_quota', part: 'disk quota', isUsed: ({ diskQuotaBytes }) => diskQuotaBytes > 0 },
  {
    name: 'no_new_privileges',
    part: null,
    isUsed: ({ noNewPrivileges, hasTaskAccounts }) => noNewPrivileges || hasTaskAccounts,
  },
  { name: 'task_account', part: null, isUsed: ({ hasTaskAccounts }) => hasTaskAccounts },
];

/**
 * Returns the names of the parts of isolation that apply to every task of a worker with these settings on this machine
 * (docs/isolation.md#capabilities). `parts`: what the machine supports.
 */
export const isolationCapabilities = (
  settings: AppliedIsolation,
  parts: readonly IsolationPart[],
): readonly string[] =>
  CAPABILITIES.filter(
    ({ part, isUsed }) =>
      isUsed(settings) && (part === null || parts.some((found) => found.part === part && found.isSupported)),
  ).map(({ name }) => name);
