/** Values of slurm.conf. */
export interface SlurmNode {
  readonly folder: string;
  readonly host: string;
  readonly user: string;
  /** Cores that the node says it has, whatever the machine has: as many jobs run at once. */
  readonly slots: number;
  readonly controllerPort: number;
  readonly nodePort: number;
  readonly isTuned: boolean;
}

/** Beyond any array of this bench. */
const MOST_JOBS = 200_000;

/**
 * slurm.conf of one node: all of it below one folder, on the loopback, without control groups, accounting or prologs (they are slower, and
 * need more than a bench has). Tuned is what Slurm's guide to high throughput names: the simplest scheduler and priority, no wait
 * between scheduling rounds, all pending jobs looked at in each, ended jobs forgotten soon, errors logged alone.
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
