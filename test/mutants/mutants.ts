import { ACCOUNT_MUTANTS } from './accounts.ts';
import { AGENT_MUTANTS } from './actors-agent.ts';
import { JOB_MUTANTS } from './actors-job.ts';
import { KERNEL_MUTANTS } from './actors-kernel.ts';
import { LEASE_MUTANTS } from './actors-lease.ts';
import { REGISTRAR_MUTANTS } from './actors-registrar.ts';
import { WORKER_MUTANTS } from './actors-worker.ts';
import { BUS_MUTANTS } from './adapters-bus.ts';
import { HOST_MUTANTS } from './adapters-host.ts';
import { STORE_MUTANTS } from './adapters-store.ts';
import { CLUSTER_CHECK_MUTANTS } from './cluster-checks.ts';
import { CLUSTER_MUTANTS } from './core-cluster.ts';
import { CORE_DATA_MUTANTS } from './core-data.ts';
import { CORE_LEASE_MUTANTS } from './core-lease.ts';
import { CORE_QUARANTINE_MUTANTS } from './core-quarantine.ts';
import { LIFECYCLE_MUTANTS } from './core-lifecycle.ts';
import { HTTP_EVENT_MUTANTS } from './http-events.ts';
import { HTTP_REQUEST_MUTANTS } from './http-requests.ts';
import type { Mutant } from './mutant.ts';

/** All mutants. */
export const MUTANTS: readonly Mutant[] = [
  ...JOB_MUTANTS,
  ...LEASE_MUTANTS,
  ...WORKER_MUTANTS,
  ...REGISTRAR_MUTANTS,
  ...AGENT_MUTANTS,
  ...KERNEL_MUTANTS,
  ...CORE_LEASE_MUTANTS,
  ...CORE_QUARANTINE_MUTANTS,
  ...LIFECYCLE_MUTANTS,
  ...CORE_DATA_MUTANTS,
  ...CLUSTER_CHECK_MUTANTS,
  ...CLUSTER_MUTANTS,
  ...STORE_MUTANTS,
  ...BUS_MUTANTS,
  ...HOST_MUTANTS,
  ...HTTP_EVENT_MUTANTS,
  ...HTTP_REQUEST_MUTANTS,
  ...ACCOUNT_MUTANTS,
];
