import { ApiClient, type AttemptView } from '../../kit/api-client.ts';
import type { JobState, NodeView, TaskState } from './history.ts';

const PAGE = 500;

interface ListedJob {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

/** Asks one node for everything that it knows. */
export async function viewOf(node: string, url: string): Promise<NodeView> {
  const api = new ApiClient(url);
  const jobs: JobState[] = [];
  for (const job of await listedJobs(api)) jobs.push(await jobState(api, job));
  jobs.sort((one, other) => (one.id < other.id ? -1 : 1));
  const { items } = await api.must<{ items: { name: string; description: string }[] }>(
    'GET',
    '/api/v1/queues?limit=100',
  );
  return { node, jobs, registers: new Map(items.map(({ name, description }) => [name, description])) };
}

/** Returns all jobs of a node, page by page. */
async function listedJobs(api: ApiClient): Promise<ListedJob[]> {
  const jobs: ListedJob[] = [];
  for (;;) {
    const { items } = await api.must<{ items: ListedJob[] }>(
      'GET',
      `/api/v1/jobs?limit=${PAGE}&offset=${jobs.length}`,
    );
    jobs.push(...items);
    if (items.length < PAGE) return jobs;
  }
}

async function jobState(api: ApiClient, { id, name, status }: ListedJob): Promise<JobState> {
  const tasks: TaskState[] = [];
  for (const task of await api.tasks(id)) {
    const attempts = await api.attempts(task.id);
    tasks.push({
      number: Number(task.parameters?.['N']),
      status: task.status,
      attempts: attempts.map(attemptState).sort((one, other) => one.number - other.number),
    });
  }
  tasks.sort((one, other) => one.number - other.number);
  return { id, name, status, tasks };
}

const attemptState = ({ attempt_number: number, status, ended_at: endedAt }: AttemptView) => ({
  number,
  status,
  isOpen: endedAt === undefined,
});
