import { beanstalkd } from './beanstalkd.ts';
import { bullmq } from './bullmq.ts';
import { callsheetProcesses, callsheetSwarm } from './callsheet.ts';
import { CALLSHEET } from './comparison.ts';
import { graphileWorker } from './graphile-worker.ts';
import type { Peer } from './peer.ts';
import { pgBoss } from './pg-boss.ts';
import { slurm } from './slurm.ts';

/** All systems, in the order of each repetition. */
export const SYSTEMS: readonly Peer[] = [
  callsheetSwarm(CALLSHEET.cycles, 'cycles', { cores: 1, reports: 'ride', share: 1 }), // wording-ok: value of --reports
  callsheetSwarm('callsheet-stream', 'cycles', { cores: 1, reports: 'stream', share: 1 }),
  bullmq('bullmq-always', 'always', 'concurrency'),
  bullmq('bullmq-always-instances', 'always', 'instances'),
  bullmq('bullmq-everysec', 'everysec', 'concurrency'),
  graphileWorker('graphile-worker', 'direct', 32),
  pgBoss,
  beanstalkd('beanstalkd-each', 0),
  beanstalkd('beanstalkd-second', 1_000),
  callsheetSwarm(CALLSHEET.batches, 'batches', { cores: 64, reports: 'ride', share: 5 }), // wording-ok: value of --reports
  graphileWorker('graphile-worker-local-queue', 'local-queue', 32),
  callsheetProcesses,
  slurm('slurm-tuned', true, 0.03),
  slurm('slurm-default', false, 0.005),
];
