import type { AgentSettings } from '../../../actors/agent/agent-settings.ts';
import { thisMachine } from '../../adapters/host/machine.ts';
import type { WorkerConfig } from '../../core/config/worker-config.ts';
import { versionFacts } from '../daemon/version.ts';

/** What a worker on this machine is started with; `rest` is what the configuration does not say, or says for others. */
export function agentSettingsOf(
  { worker }: WorkerConfig,
  rest: Pick<AgentSettings, 'name' | 'capabilities' | 'sessionsDirectory' | 'keepsSessions' | 'spoolsLogs'>,
): AgentSettings {
  const machine = thisMachine();
  return {
    hostName: machine.hostName,
    farm: worker.farm,
    queues: worker.queues,
    cpuCount: worker.cpus,
    memoryMib: worker.memoryMib,
    os: machine.os,
    arch: machine.arch,
    softwareVersion: versionFacts().version,
    computeLocation: worker.computeLocation,
    sessionLingerMs: worker.sessionLingerMs,
    drainTimeoutMs: worker.drainTimeoutMs,
    ...rest,
  };
}
