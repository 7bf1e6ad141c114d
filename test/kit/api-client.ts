/** Client of the REST API for tests: sends and parses JSON, and returns every response with its status. */
export interface ApiAnswer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface TaskCountsView {
  readonly total: number;
  readonly pending: number;
  readonly ready: number;
  readonly assigned: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
}

export interface JobView {
  readonly id: string;
  readonly status: string;
  readonly name: string;
  readonly failed_attempts: number;
  readonly task_counts: TaskCountsView;
  readonly steps: readonly {
    readonly name: string;
    readonly status: string;
    readonly task_counts: TaskCountsView;
  }[];
}

export interface TaskView {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly assigned_worker_id?: string;
  readonly unschedulable_reason?: string;
  readonly failure_reason?: string;
  readonly failed_attempts: number;
}

export interface AttemptView {
  readonly attempt_number: number;
  readonly status: string;
  readonly worker_id?: string;
  readonly exit_code?: number;
  readonly message?: string;
  readonly failure_excerpt?: string;
  readonly started_at: string;
  readonly ended_at?: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

const PAGE = 1000;

const isClosedConnection = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === 'UND_ERR_SOCKET';

export class ApiClient {
  readonly url: string;
  private readonly headers: Readonly<Record<string, string>>;

  /** `headers` are sent with every request, such as a credential. */
  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.url = url;
    this.headers = headers;
  }

  async call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: object | string,
    contentType = 'application/json',
  ): Promise<ApiAnswer<Body>> {
    const request = {
      method,
      headers: { ...this.headers, ...(body === undefined ? {} : { 'content-type': contentType }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    };
    const send = (): Promise<Response> => fetch(`${this.url}${path}`, request);
    // A process that was busy for seconds may use a connection that the service has closed meanwhile.
    const response = await send().catch((error: unknown) => {
      if (method === 'GET' && isClosedConnection(error)) return send();
      throw error;
    });
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').includes('json');
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : { text }) as Body,
    };
  }

  /** Sends a request and returns its body. Throws unless it succeeds. */
  async must<Body>(
    method: string,
    path: string,
    body?: object | string,
    contentType?: string,
  ): Promise<Body> {
    const answer = await this.call<Body>(method, path, body, contentType);
    if (answer.status < 400) return answer.body;
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  async makeFarm(name: string): Promise<FarmClient> {
    const farm = await this.must<{ id: string }>('POST', '/api/v1/farms', { name });
    const queue = await this.must<{ id: string }>('POST', '/api/v1/queues', {
      farm_id: farm.id,
      name: 'main',
    });
    return new FarmClient(this, farm.id, queue.id);
  }

  job(id: string): Promise<JobView> {
    return this.must<JobView>('GET', `/api/v1/jobs/${id}`);
  }

  attempts(taskId: string): Promise<readonly AttemptView[]> {
    return this.must<{ items: AttemptView[] }>('GET', `/api/v1/tasks/${taskId}/attempts`).then(
      ({ items }) => items,
    );
  }

  /** Returns all tasks of a job, reading page by page. */
  async tasks(jobId: string): Promise<TaskView[]> {
    const tasks: TaskView[] = [];
    for (;;) {
      const page = await this.must<Page<TaskView>>(
        'GET',
        `/api/v1/jobs/${jobId}/tasks?limit=${PAGE}&offset=${tasks.length}`,
      );
      tasks.push(...page.items);
      if (tasks.length >= page.total || page.items.length === 0) return tasks;
    }
  }

  /** Returns the whole log of a task as text. */
  async log(taskId: string): Promise<string> {
    let text = '';
    for (let after = 0; ;) {
      const page = await this.must<{ items: { data: string; bus_seq: number }[]; after_bus_seq: number }>(
        'GET',
        `/api/v1/tasks/${taskId}/logs?limit=${PAGE}&after_bus_seq=${after}`,
      );
      text += page.items.map((chunk) => chunk.data).join('');
      if (page.items.length === 0) return text;
      after = page.after_bus_seq;
    }
  }
}

export class FarmClient {
  readonly api: ApiClient;
  readonly farmId: string;
  readonly queueId: string;

  constructor(api: ApiClient, farmId: string, queueId: string) {
    this.api = api;
    this.farmId = farmId;
    this.queueId = queueId;
  }

  /** Submits a template. `query` adds query parameters. */
  submit(
    template: object | string,
    query: Readonly<Record<string, string>> = {},
  ): Promise<ApiAnswer<JobView>> {
    const parameters = new URLSearchParams({ farm_id: this.farmId, queue_id: this.queueId, ...query });
    const contentType = typeof template === 'string' ? 'application/x-yaml' : 'application/json';
    return this.api.call<JobView>('POST', `/api/v1/jobs?${parameters.toString()}`, template, contentType);
  }
}
