/** Values of slurm.conf. */
export interface SlurmNode {
  readonly folder: string;
  readonly host: string;
  readonly user: string;
  /** Number of cores that the node announces, whatever the machine has: this many jobs run at once. */
  readonly slots: number;
  readonly controllerPort: number;
  readonly nodePort: number;
  readonly isTuned: boolean;
}

/** More than any array of this bench. */
const MOST_JOBS = 200_000;

/**
 * Returns slurm.conf of one node: all files below one folder, on the loopback, without control groups, accounting or
 * prologs (they are slower, and a bench does not need them). Tuned follows Slurm's guide to high throughput: the
 * simplest scheduler and priority, no wait between scheduling rounds, all pending jobs considered in each, ended jobs
 * forgotten soon, only errors logged.
 */
export function slurmConfiguration(node: SlurmNode): string {
  const { folder, host, user, slots, controllerPort, nodePort, isTuned } = node;
  return [
    'ClusterName=bench',
    `SlurmctldHost=${host}(127.0.0.1)`,
    `SlurmctldPort=${controllerPort}`,
    `SlurmdPort=${nodePort}`,
    `SlurmUser=${user}`,
    `SlurmdUser=${user}`,
    'AuthType=auth/munge',
    `AuthInfo=socket=${folder}/munge.socket`,
    'CredType=cred/munge',
    `StateSaveLocation=${folder}/state`,
    `SlurmdSpoolDir=${folder}/spool`,
    `SlurmctldPidFile=${folder}/slurmctld.pid`,
    `SlurmdPidFile=${folder}/slurmd.pid`,
    `SlurmctldLogFile=${folder}/slurmctld.log`,
    `SlurmdLogFile=${folder}/slurmd.log`,
    'ProctrackType=proctrack/linuxproc',
    'TaskPlugin=task/none',
    'JobAcctGatherType=jobacct_gather/none',
    'AccountingStorageType=accounting_storage/none',
    'MpiDefault=none',
    'ReturnToService=2',
    'SelectType=select/cons_tres',
    'SelectTypeParameters=CR_Core',
    'SlurmdParameters=config_overrides',
    `MaxArraySize=${MOST_JOBS}`,
    `MaxJobCount=${MOST_JOBS}`,
    ...(isTuned
      ? [
          'SchedulerType=sched/builtin',
          `SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=1000,default_queue_depth=${MOST_JOBS / 20},defer`,
          'PriorityType=priority/basic',
          'MinJobAge=2',
          'CompleteWait=0',
          'SlurmctldDebug=error',
          'SlurmdDebug=error',
        ]
      : []),
    `NodeName=${host} NodeAddr=127.0.0.1 CPUs=${slots} Sockets=1 CoresPerSocket=${slots} ThreadsPerCore=1 RealMemory=1000 State=UNKNOWN`,
    'PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP',
    '',
  ].join('\n');
}
