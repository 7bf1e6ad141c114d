import { submit, type BenchService } from '../service.ts';

/** Maximum number of concurrent requests while jobs are submitted. */
const CLIENTS = 16;
/** Signatures differ in their memory requirement; workers of a swarm have 1,024 MiB. */
export const SIGNATURES_MAX = 1000;

export interface Farm {
  readonly farmId: string;
  readonly queueId: string;
}

/** Submits `jobs` jobs of `tasks` no-op tasks of one core. They have `signatures` different requirements in turn. */
export async function submitJobs(
  service: Pick<BenchService, 'url'>,
  farm: Farm,
  jobs: number,
  tasks: number,
  signatures: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < jobs) {
      const { id } = await submit(service.url, farm, noopTemplate(tasks, 1 + (next++ % signatures)));
      ids.push(id);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CLIENTS, jobs) }, client));
  return ids;
}

const noopTemplate = (tasks: number, memoryMib: number): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: `${tasks} tasks that do nothing`,
  steps: [
    {
      name: 'Noop',
      parameterSpace: { taskParameterDefinitions: [{ name: 'I', type: 'INT', range: `1-${tasks}` }] },
      hostRequirements: {
        amounts: [
          { name: 'amount.worker.vcpu', min: 1 },
          { name: 'amount.worker.memory', min: memoryMib },
        ],
      },
      script: { actions: { onRun: { command: 'true' } } },
    },
  ],
});
