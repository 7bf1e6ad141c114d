import type { Test } from 'tap';
import type { Answer } from '../../http/kit/contract-check.ts';
import { CheckedClient } from '../../kit/checked-client.ts';
import { attribute, ContractFarm, jobOf } from '../../kit/contract-bench.ts';
import type { RunningService } from '../../kit/daemons.ts';

/** An object of the API. */
export type Row = Readonly<Record<string, unknown>>;

/** A page of a list. */
export interface RowPage {
  readonly items: readonly Row[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** A request that must fail with this status. */
export type RefusedRequest = readonly [method: string, path: string, status: number, body?: unknown];

/** Fixture of the cases: one service with the farm `show`, and requests to it. */
export interface RestContext {
  /** Contains the files of the service and of the gates. */
  readonly folder: string;
  /** Checks every response against the OpenAPI document. */
  readonly api: CheckedClient;
  readonly farm: ContractFarm;
  /** Query string with `farm_id` and `queue_id` of the farm's queue `main`. */
  readonly queueQuery: string;
  /** Returns a page of a list. */
  readonly page: (path: string) => Promise<RowPage>;
  /** Submits a job to the queue `main` and returns the response. `query` starts with `&`. */
  readonly submit: (template: unknown, query?: string) => Promise<Answer>;
  /** Submits a job to the queue `main` and returns it. Throws unless the status is 201. */
  readonly submitted: (template: unknown, query?: string) => Promise<Row>;
  /** Asserts the status of each request, and that its body is a problem. */
  readonly refused: (t: Test, requests: readonly RefusedRequest[]) => Promise<void>;
  /** Returns the rows of all pages of a list, read `limit` at a time. */
  readonly walked: (path: string, limit: number) => Promise<Row[]>;
}

export const UNKNOWN = '00000000-0000-7000-8000-000000000000';
export const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Requirements that no worker meets. */
export const UNMATCHED = [attribute('tag.missing', 'anyOf', 'true')];

export const NO_COUNTS = {
  total: 0,
  pending: 0,
  ready: 0,
  assigned: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  canceled: 0,
  unschedulable: 0,
};

/** Returns a template whose tasks no worker can run. */
export const waitingJob = (name: string, tasks = 1): object =>
  jobOf(name, { line: 'true', tasks, attributes: UNMATCHED });

export const column = (rows: readonly Row[], name: string): unknown[] => rows.map((row) => row[name]);

/** Creates the farm `show` on a service, and the requests to it. */
export async function createRestContext(service: RunningService): Promise<RestContext> {
  const api = new CheckedClient(service.api.url);
  const farm = await ContractFarm.make(service, 'show');
  const queueQuery = `farm_id=${farm.id}&queue_id=${farm.queueId}`;
  const page: RestContext['page'] = (path) => api.read<RowPage>(path);
  const submit: RestContext['submit'] = (template, query = '') =>
    api.ask('POST', `/api/v1/jobs?${queueQuery}${query}`, { body: template });
  return {
    folder: service.folder,
    api,
    farm,
    queueQuery,
    page,
    submit,
    submitted: async (template, query) => {
      const { status, body, text } = await submit(template, query);
      if (status !== 201) throw new Error(`the job was rejected: ${status} ${text}`);
      return body as Row;
    },
    refused: async (t, requests) => {
      for (const [method, path, status, body] of requests) {
        const answer = await api.ask(method, path, body === undefined ? {} : { body });
        const request = `${method} ${path} ${JSON.stringify(body) ?? ''}`.slice(0, 150);
        t.equal(answer.status, status, request);
        t.match(
          answer.body,
          { type: 'about:blank', status, instance: answer.headers['x-request-id'] },
          request,
        );
      }
    },
    walked: async (path, limit) => {
      const rows: Row[] = [];
      const separator = path.includes('?') ? '&' : '?';
      for (;;) {
        const { items, total } = await page(`${path}${separator}limit=${limit}&offset=${rows.length}`);
        rows.push(...items);
        if (items.length === 0 || rows.length >= total) return rows;
      }
    },
  };
}
