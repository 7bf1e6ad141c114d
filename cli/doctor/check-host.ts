import { versionFacts } from '../../daemons/process/version.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';
import type { Finding } from '../../src/core/host-check/finding.ts';
import type { RestClient } from '../client/rest-client.ts';
import { BUS_CHECKS } from './bus-checks.ts';
import { FARM_CHECKS } from './farm-checks.ts';
import { MACHINE_CHECKS } from './machine-checks.ts';
import { runChecks } from './run-checks.ts';
import { SERVICE_CHECKS } from './service-checks.ts';

/** Checks whether this host is ready to run a worker of this configuration (docs/host-check.md). */
export const checkHost = (config: WorkerConfig, client: RestClient): Promise<readonly Finding[]> =>
  runChecks([...SERVICE_CHECKS, ...BUS_CHECKS, ...MACHINE_CHECKS, ...FARM_CHECKS], {
    config,
    client,
    version: versionFacts().version,
  });
