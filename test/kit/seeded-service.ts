import fc from 'fast-check';
import type { ApiClient, FarmClient, Page } from './api-client.ts';
import type { Known } from './generated-requests.ts';
import { until } from './until.ts';

interface Entry {
  readonly id: string;
}

interface JobEntry extends Entry {
  readonly status: string;
  readonly name: string;
}

/** A step that no worker is eligible for: its tasks stay ready. */
const HELD = {
  specificationVersion: 'jobtemplate-2023-09',
  name: 'held',
  parameterDefinitions: [{ name: 'Word', type: 'STRING', default: 'x' }],
  steps: [
    {
      name: 'S',
      parameterSpace: { taskParameterDefinitions: [{ name: 'Frame', type: 'INT', range: '1-3' }] },
      hostRequirements: { attributes: [{ name: 'attr.worker.tag.nobody', anyOf: ['true'] }] },
      script: { actions: { onRun: { command: 'true', args: ['{{Param.Word}}'] } } },
    },
  ],
};
const quick = (command: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: command,
  steps: [{ name: 'S', script: { actions: { onRun: { command, args: ['said'] } } } }],
});
/** A webhook that reaches no receiver. */
const HOOK = { name: 'hook', url: 'http://127.0.0.1:1/hook', events: ['job.failed'] } as const;
const YAML = JSON.stringify(HELD, null, 1);
const environmentNamed = (name: string): string =>
  JSON.stringify({
    specificationVersion: 'environment-2023-09',
    environment: { name, variables: { KNOWN: 'yes' } },
  });

/**
 * A service with data of every kind: two farms with queues, jobs in every status, an entry in each catalog. `renew`
 * re-creates what generated requests have deleted or ended.
 */
export class SeededService {
  readonly #api: ApiClient;
  #farms: readonly FarmClient[] = [];

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Creates a first farm for a worker to join, and returns it. */
  async start(): Promise<FarmClient> {
    await this.#renewFarms();
    const [farm] = this.#farms;
    if (farm === undefined) throw new Error('there is no farm');
    return farm;
  }

  /** Runs one job that completes and one that fails on the first farm. Call this when a worker serves the farm. */
  async runJobs(): Promise<void> {
    const [farm] = this.#farms;
    if (farm === undefined) throw new Error('there is no farm');
    for (const command of ['echo', 'false']) {
      const { body } = await farm.submit(quick(command), { max_attempts: '1' });
      await until(`the job ${command} has ended`, async () => {
        const { status } = await this.#api.job(body.id);
        return status === 'completed' || status === 'failed';
      });
    }
  }

  /** Re-creates missing data and returns the known IDs of each farm. */
  async renew(): Promise<readonly Known[]> {
    await this.#renewFarms();
    const entries = {
      'compute-locations': await this.#entries('compute-locations', { name: 'berlin' }),
      'storage-locations': await this.#entries('storage-locations', {
        name: 'projects',
        roots: { default: '/mnt' },
      }),
      'usage-pools': await this.#entries('usage-pools', { name: 'nuke', max_concurrent: 2 }),
      webhooks: await this.#entries('webhooks', HOOK),
      products: [await this.#product()],
      presets: await this.#presets(),
      users: await this.#entries('users', { username: 'ann', password: 'password of ann' }),
    };
    const known: Known[] = [];
    for (const farm of this.#farms) {
      const jobs = await this.#renewJobs(farm);
      const queues = await this.#page<Entry>(`queues?farm_id=${farm.farmId}`);
      const workers = await this.#page<Entry>(`workers?farm_id=${farm.farmId}`);
      const tasks = await Promise.all(jobs.map(({ id }) => this.#page<Entry>(`jobs/${id}/tasks?limit=2`)));
      const ids = {
        // The second farm is empty, so it can be deleted.
        farms: [farm.farmId, await this.#emptyFarm()],
        queues: idsOf(queues),
        jobs: idsOf(jobs),
        tasks: tasks.flatMap(idsOf),
        // The name of the only step of all jobs of this file.
        steps: ['S'],
        workers: idsOf(workers),
        ...entries,
      };
      const open = jobs.filter(({ status }) => status === 'pending' || status === 'paused');
      const environment = await this.#environment(farm.queueId);
      const nested = { 'queues/environments': [{ id: farm.queueId, environmentId: environment }] };
      known.push({
        ids,
        nested,
        hints: hintsOf(ids, idsOf(open)),
        operationHints: OPERATION_HINTS,
        texts: TEXTS,
      });
    }
    return known;
  }

  async #emptyFarm(): Promise<string> {
    const name = `empty ${crypto.randomUUID()}`;
    return (await this.#api.must<Entry>('POST', '/api/v1/farms', { name })).id;
  }

  async #renewFarms(): Promise<void> {
    const kept: FarmClient[] = [];
    for (const farm of this.#farms) {
      const answers = await Promise.all([
        this.#api.call('GET', `/api/v1/farms/${farm.farmId}`),
        this.#api.call('GET', `/api/v1/queues/${farm.queueId}`),
      ]);
      if (answers.every(({ status }) => status === 200)) kept.push(farm);
    }
    while (kept.length < 2) kept.push(await this.#api.makeFarm(`farm ${crypto.randomUUID()}`));
    this.#farms = kept;
  }

  /** Creates at least one job in each status that needs no worker. */
  async #renewJobs(farm: FarmClient): Promise<readonly JobEntry[]> {
    const list = (): Promise<readonly JobEntry[]> =>
      this.#page<JobEntry>(`jobs?farm_id=${farm.farmId}&sort_by=updated_at&sort_dir=desc&limit=12`);
    const statuses = new Set((await list()).map(({ status }) => status));
    const submitted = async (query: Record<string, string> = {}): Promise<string> => {
      const { status, body } = await farm.submit(HELD, { project: 'known', ...query });
      if (status !== 201) throw new Error(`the job was rejected: ${status} ${JSON.stringify(body)}`);
      return body.id;
    };
    if (!statuses.has('pending') || !statuses.has('blocked')) {
      await submitted({ depends_on: await submitted() });
    }
    if (!statuses.has('paused')) {
      await this.#api.must('PATCH', `/api/v1/jobs/${await submitted()}`, { action: 'pause' });
    }
    if (!statuses.has('canceled')) {
      await this.#api.must('POST', `/api/v1/jobs/${await submitted()}/cancel`);
    }
    const ended = await Promise.all(
      ['completed', 'failed'].map((status) =>
        this.#page<JobEntry>(`jobs?farm_id=${farm.farmId}&status=${status}&limit=1`),
      ),
    );
    return [...(await list()), ...ended.flat()];
  }

  async #entries(catalog: string, entry: object): Promise<readonly string[]> {
    const found = await this.#api.must<readonly Entry[]>('GET', `/api/v1/${catalog}`);
    if (found.length > 0) return idsOf(found.slice(0, 5));
    return [(await this.#api.must<Entry>('POST', `/api/v1/${catalog}`, entry)).id];
  }

  /** Returns the id of an environment of the queue, which has room for more. */
  async #environment(queueId: string): Promise<string> {
    const path = `/api/v1/queues/${queueId}/environments`;
    const found = await this.#api.must<readonly Entry[]>('GET', path);
    for (const { id } of found.slice(5)) await this.#api.must('DELETE', `${path}/${id}`);
    const [first] = found;
    if (first !== undefined) return first.id;
    return (await this.#api.must<Entry>('POST', path, { template: environmentNamed('Known') })).id;
  }

  /** Returns the name of a product that can be submitted without values. */
  async #product(): Promise<string> {
    const name = 'known/held';
    const { status } = await this.#api.call('GET', `/api/v1/products/${name}`);
    if (status === 404)
      await this.#api.must('POST', '/api/v1/products', { name, title: 'Held', template: YAML });
    return name;
  }

  /** Returns the names of two presets, of which the first is installed and the second is not. */
  async #presets(): Promise<readonly string[]> {
    const presets = await this.#api.must<readonly { readonly name: string; readonly installed: boolean }[]>(
      'GET',
      '/api/v1/presets',
    );
    const [first, second] = presets;
    if (first === undefined || second === undefined) throw new Error('there are fewer than two presets');
    if (!first.installed) await this.#api.must('POST', `/api/v1/presets/${first.name}/install`);
    if (second.installed) await this.#api.must('DELETE', `/api/v1/products/${second.name}`);
    return [first.name, second.name];
  }

  #page<Item>(path: string): Promise<readonly Item[]> {
    return this.#api.must<Page<Item>>('GET', `/api/v1/${path}`).then(({ items }) => items);
  }
}

const idsOf = (entries: readonly Entry[]): string[] => entries.map(({ id }) => id);

const TEXTS: Known['texts'] = {
  'application/json': [JSON.stringify(HELD)],
  'application/vnd.callsheet.submission+json': [
    JSON.stringify({ template: YAML, environments: [{ template: environmentNamed('Sent') }] }),
  ],
  'application/x-yaml': [YAML],
  'application/yaml': [YAML],
  'text/yaml': [YAML],
};

const ENVIRONMENT_HINTS: Known['hints'] = {
  template: fc.integer({ min: 0, max: 999_999 }).map((number) => environmentNamed(`Environment ${number}`)),
  format: fc.constantFrom('yaml', 'json'),
};
/** Operations whose bodies have members of these names with another meaning. */
const OPERATION_HINTS: Known['operationHints'] = {
  createQueueEnvironment: ENVIRONMENT_HINTS,
  replaceQueueEnvironment: ENVIRONMENT_HINTS,
  // A time in the past is refused.
  disableWorker: { until: fc.constant('2099-01-01T00:00:00Z') },
  // Only with some of the actions.
  bulkWorkers: { until: fc.constant('2099-01-01T00:00:00Z'), versions: fc.constant(undefined) },
};

const RETRY_RULES = [
  { name: 'license', match: { exit_codes: [70], log: 'no license' }, action: 'requeue', pool: 'nuke' },
  {
    name: 'memory',
    match: { out_of_memory: true },
    action: 'raise',
    amount: 'amount.worker.memory',
    factor: 1.5,
  },
];

/** Valid values of a body or parameter that its schema cannot express. */
/** A schema does not express which names are amounts. */
const BOOKABLE = ['amount.worker.memory', 'AMOUNT.worker.gpu', 'studio:amount.scene.cache'];

function hintsOf(ids: Known['ids'], openJobs: readonly string[]): Known['hints'] {
  const one = (collection: string): fc.Arbitrary<string> => fc.constantFrom(...(ids[collection] ?? []));
  const hasWorkers = (ids['workers'] ?? []).length > 0;
  return {
    farm_id: fc.constant(ids['farms']?.[0]),
    queue_id: one('queues'),
    job_id: one('jobs'),
    task_id: one('tasks'),
    // Omitted if there are no workers.
    worker_id: hasWorkers ? one('workers') : fc.constant(undefined),
    depends_on: fc.subarray(openJobs.slice(0, 2)),
    roots: fc.subarray(['default', 'berlin', 'potsdam']).chain((places) =>
      fc
        .array(fc.constantFrom('/mnt/a', 'C:\\a', 's3://bucket/prefix', '\\\\server\\share'), {
          minLength: places.length,
          maxLength: places.length,
        })
        .map((roots) => Object.fromEntries(places.map((place, at) => [place, roots[at]]))),
    ),
    // Cursors are valid only if an earlier page has returned them.
    after: fc.constant(undefined),
    // Values that all jobs of this file have.
    step: fc.constant('S'),
    range: fc.constant('0'),
    // Names steps, as texts in a query and as members in a body; test/http/routes sends both.
    step_max_concurrent_tasks: fc.constant(undefined),
    template: fc.constant(YAML),
    url: fc.constant(HOOK.url),
    // Of a webhook; the formats of other bodies are enumerated.
    format: fc.constant('generic'),
    events: fc.constant(HOOK.events),
    // Which members a rule has depends on its action, and patterns must be valid.
    retry_rules: fc.constantFrom(null, [], RETRY_RULES),
    booked_amounts: fc.subarray(BOOKABLE),
    run_as_user: fc.constant(null),
    run_as_group: fc.constant(null),
    password: fc.string({ unit: 'grapheme', minLength: 8, maxLength: 30, size: 'max' }),
    parameters: fc.oneof(
      fc.constant({}),
      fc.string({ unit: 'grapheme', maxLength: 20, size: 'max' }).map((word) => ({ 'param.Word': word })),
    ),
  };
}
