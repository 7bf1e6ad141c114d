import type { AgentSettings } from '../../actors/agent/agent-settings.ts';
import { createRe2Engine } from '../../src/adapters/regex/re2-engine.ts';
import { thisMachine } from '../../src/adapters/host/machine.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';
import { EXPR_LIMITS } from '../../src/openjd/expr/expr-limits.ts';
import { versionFacts } from '../process/version.ts';

/**
 * Returns the settings of a worker on this machine. `rest` has those that do not come from the configuration, or that a
 * simulation changes.
 */
export function agentSettingsOf(
  { worker, openjd }: WorkerConfig,
  rest: Pick<AgentSettings, 'name' | 'capabilities' | 'sessionsDirectory' | 'keepsSessions' | 'spoolsLogs'>,
): AgentSettings {
  const machine = thisMachine();
  return {
    hostName: machine.hostName,
    farm: worker.farm,
    queues: worker.queues,
    cpuCount: worker.cpus,
    amounts: worker.amounts,
    memoryMib: worker.memoryMib,
    os: machine.os,
    arch: machine.arch,
    softwareVersion: versionFacts().version,
    computeLocation: worker.computeLocation,
    exprLimits: { ...EXPR_LIMITS, memory: openjd.exprMemoryBytes },
    regex: createRe2Engine(),
    sessionLingerMs: worker.sessionLingerMs,
    drainTimeoutMs: worker.drainTimeoutMs,
    ...rest,
  };
}
