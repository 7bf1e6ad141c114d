import { EXPR_LIMITS, EXPR_MEMORY_MAX } from '../../openjd/expr/expr-limits.ts';
import { BURST_MAX, RPS_MAX } from '../rate-limit/rate-limiter.ts';
import { WIRE_LIMITS } from '../wire/limits.ts';
import {
  address,
  boolean,
  busUrl,
  choice,
  duration,
  integer,
  ipv4,
  list,
  name,
  optional,
  origin,
  tags,
  text,
  variableGlob,
  type ValueType,
} from './value-type.ts';

/** One configuration key (docs/contract/configuration.md). Its name says everything else: see key-names.ts. */
export interface ConfigKey<T> {
  readonly type: ValueType<T>;
  /** As it would be written in an environment variable. */
  readonly default: string;
  /** What stands for an empty default, for the reference. */
  readonly defaultMeans?: string;
  readonly description: string;
}

function key<T>(
  type: ValueType<T>,
  standard: string,
  description: string,
  defaultMeans?: string,
): ConfigKey<T> {
  return { type, default: standard, description, ...(defaultMeans === undefined ? {} : { defaultMeans }) };
}

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

const LOG_KEYS = {
  'log.format': key(choice(['json', 'text']), 'json', 'How log lines are written to standard error.'),
  'log.level': key(choice(['debug', 'info', 'warn', 'error']), 'info', 'The least level that is logged.'),
} as const;

const DISCOVERY_NAME = name(63);
const DISCOVERY_NAME_DEFAULT = 'callsheet';
const EXPR_MEMORY = integer(1, EXPR_MEMORY_MAX);
const EXPR_MEMORY_DEFAULT = String(EXPR_LIMITS.memory);

const ALL_INTERFACES = 'all interfaces';

/** The keys of `callsheet server`. */
const SERVER_KEYS = {
  'http.addr': key(address(), '0.0.0.0:8080', 'Where the REST API listens. Port 0 takes a free one.'),
  'http.cors_origins': key(
    list(origin()),
    '',
    'Origins whose pages may call the API from a browser: scheme://host[:port], or *.',
    'every origin (*)',
  ),
  'http.rate_limit.enabled': key(
    boolean(),
    'true',
    'Whether requests below /api/v1 are limited for each client address; IPv6 addresses count by /64.',
  ),
  'http.rate_limit.rps': key(
    integer(1, RPS_MAX),
    '20',
    'Requests a second that an address may make in the long run.',
  ),
  'http.rate_limit.burst': key(
    integer(1, BURST_MAX),
    '40',
    'Requests that an address may make at once after a rest.',
  ),
  'http.trust_proxy': key(
    boolean(),
    'false',
    'Whether the client address is the last entry of X-Forwarded-For. Only behind a reverse proxy that sets it and that every request comes through: anybody else could write what they like there.',
  ),
  'http.enable_pprof': key(
    boolean(),
    'false',
    'Whether profiles of every thread can be taken under /debug/pprof/, by anybody who reaches the address.',
  ),
  'data.dir': key(
    text(),
    './data',
    'Directory of the store and of the managed bus. Made when it is missing.',
  ),
  'data.compact_free_percent': key(
    integer(0, 99),
    '50',
    'At the start, the file of a store of 16 MiB or more of which this share is free is compacted; 0 is never. See operations.md.',
  ),
  'bus.url': key(
    list(busUrl()),
    '',
    'An external NATS server, or several servers of one cluster, with JetStream enabled.',
    'the service starts and supervises its own nats-server',
  ),
  'bus.addr': key(
    address(),
    '127.0.0.1:14222',
    'Where the managed nats-server listens. The worker channel has no authentication: bind it beyond the loopback only in a network where every host may act as a worker.',
  ),
  'bus.server_path': key(text(), 'nats-server', 'Program of the managed bus: a name on the PATH or a path.'),
  'discovery.enabled': key(
    boolean(),
    'false',
    'Whether the service is announced by mDNS, so that workers in its network find its bus by themselves.',
  ),
  'discovery.name': key(
    DISCOVERY_NAME,
    DISCOVERY_NAME_DEFAULT,
    'Name that the service is announced by: workers look for the same one. Services in one network that are not the same need different names.',
  ),
  'discovery.interfaces': key(
    list(ipv4()),
    '',
    'IPv4 addresses of the network interfaces that the service is announced on.',
    ALL_INTERFACES,
  ),
  'scheduler.heartbeat_timeout': key(
    duration(SECOND_MS, HOUR_MS),
    '30s',
    'A worker that was not heard for this long is offline, and its tasks are given to others.',
  ),
  'scheduler.max_attempts': key(
    integer(1, 65_535),
    '3',
    'Genuine failures after which a task has failed. Farm, queue and job may override it.',
  ),
  'scheduler.retry_delay_seconds': key(
    integer(0, 31_536_000),
    '10',
    'Seconds before a failed task may start again. Farm, queue and job may override it.',
  ),
  'scheduler.failure_limit': key(
    integer(0, 1_000_000_000),
    '0',
    'Genuine failures of all its tasks after which a job is parked; 0 is no limit. Farm, queue and job may override it.',
  ),
  'scheduler.unschedulable_grace': key(
    duration(0, 24 * HOUR_MS),
    '30s',
    'A task that is ready for this long and that no worker online may run says why; 0 is never.',
  ),
  'scheduler.reservation_after': key(
    duration(0, 7 * 24 * HOUR_MS),
    '5m',
    'A task that is ready for this long while smaller ones overtake it has a worker kept free for it; 0 is never.',
  ),
  'scheduler.job_retention': key(
    duration(0, 3650 * 24 * HOUR_MS),
    '0s',
    'Completed jobs are removed with all their data this long after their end; 0 keeps them.',
  ),
  'scheduler.job_retention_include_failed': key(
    boolean(),
    'false',
    'Whether failed and canceled jobs are removed after `scheduler.job_retention` as well.',
  ),
  'scheduler.shards': key(
    integer(1, 64),
    '1',
    'Threads that hold farms. A farm lives whole on one of them, so more shards help only with several busy farms.',
  ),
  'openjd.max_tasks_per_step': key(
    integer(1, 1_000_000_000),
    '1000000',
    'A template with a step of more tasks than this is refused.',
  ),
  'openjd.expr_memory_limit': key(
    EXPR_MEMORY,
    EXPR_MEMORY_DEFAULT,
    'Bytes of memory that one expression of a template may take at its submission; beyond them the template is refused. Workers that grant less do not run jobs with EXPR.',
  ),
  'openjd.expr_submission_deadline': key(
    duration(1, HOUR_MS),
    '5s',
    'A submission whose template is not evaluated after this long is answered with 503, which is no verdict on the template.',
  ),
  'logs.max_bytes_per_task': key(
    integer(0, 999_999_999_999_999),
    '67108864',
    'Bytes of log that are kept of a task, over all its attempts; the rest is cut with a line that says so. 0 is no limit.',
  ),
  'events.replay_depth': key(
    integer(1, 100_000),
    '1000',
    'Events that are kept in memory of each subject, for clients of the event channel that come back or read slowly.',
  ),
  'diagnostics.buffer_size': key(
    integer(0, 100_000),
    '1000',
    'Records that are kept in memory of the service and of each worker for `GET /api/v1/diagnostics/logs`; 0 keeps none.',
  ),
  ...LOG_KEYS,
} as const;

/** The keys of `callsheet worker`. */
const WORKER_KEYS = {
  'bus.url': key(
    list(busUrl(), 1),
    'nats://127.0.0.1:14222',
    'The NATS server of the service, or several servers of one cluster.',
  ),
  'discovery.enabled': key(
    boolean(),
    'false',
    'Whether the service is looked for by mDNS. A `bus.url` that is set anywhere goes before.',
  ),
  'discovery.name': key(DISCOVERY_NAME, DISCOVERY_NAME_DEFAULT, 'Name of the service that is looked for.'),
  'discovery.interfaces': key(
    list(ipv4()),
    '',
    'IPv4 addresses of the network interfaces that the service is looked for on.',
    ALL_INTERFACES,
  ),
  'worker.name': key(optional(text()), '', 'Name of this worker, unique in its farm.', 'the host name'),
  'worker.farm': key(
    text(),
    '',
    'Farm that this worker belongs to, by id or name. Required when the service has more than one.',
    'the only farm',
  ),
  'worker.queues': key(
    list(text()),
    '',
    'Queues that this worker takes tasks from, by id or name.',
    'no affinity: every queue of its farm',
  ),
  'worker.cpus': key(
    optional(integer(1, 65_536)),
    '',
    'Cores that tasks may reserve on this worker.',
    'the cores of the machine, or what the control group of the worker leaves of them',
  ),
  'worker.memory_mib': key(
    optional(integer(1, WIRE_LIMITS.memoryMib)),
    '',
    'Memory in MiB that this worker offers: amount.worker.memory.',
    'the memory of the machine, or what the control group of the worker leaves of it',
  ),
  'worker.gpus': key(
    optional(integer(0, WIRE_LIMITS.gpus)),
    '',
    'GPUs that this worker offers: amount.worker.gpu. With 0 they are not looked for.',
    'those that nvidia-smi lists',
  ),
  'worker.compute_location': key(text(), '', 'Name of the place where this worker stands.', 'none'),
  'worker.tags': key(
    tags(),
    '',
    'Capability tags: attr.worker.tag.<name> of a step is matched with them. They win over detected ones.',
    'none',
  ),
  'worker.detect_applications': key(
    boolean(),
    'true',
    'Whether the worker looks for applications and says each that it finds as a tag with the value true.',
  ),
  'worker.dir': key(
    optional(text()),
    '',
    'Session working directories, and the reports that the service has not confirmed.',
    'a directory named after the worker under the temporary directory of the system',
  ),
  'worker.session_linger': key(
    duration(0, HOUR_MS),
    '5s',
    'How long a session whose task has ended waits for another task of its step, before its environments are exited.',
  ),
  'worker.keep_sessions': key(
    boolean(),
    'false',
    'Whether the working directories of sessions stay when they end, for debugging.',
  ),
  'worker.drain_timeout': key(
    duration(0, 24 * HOUR_MS),
    '30s',
    'How long the tasks of a worker that was told to stop may go on; then they are stopped and given back.',
  ),
  'worker.log_spool_bytes': key(
    integer(0, 999_999_999_999_999),
    '67108864',
    'Bytes of task logs that are kept on the disk of the worker while the bus is away, of all its tasks together; beyond that output is dropped with a line that says so. 0 keeps none.',
  ),
  'worker.allow_root': key(
    boolean(),
    'false',
    'Lets the worker run as root. Jobs are programs of whoever may submit: they then run as root too.',
  ),
  'openjd.expr_memory_limit': key(
    EXPR_MEMORY,
    EXPR_MEMORY_DEFAULT,
    'Bytes of memory that one expression may take on this worker. With less than the service grants, it does not get tasks of jobs with EXPR.',
  ),
  'isolation.enabled': key(
    boolean(),
    'true',
    'Whether this worker runs tasks of queues that name an account. It must run as root for that; tasks that it cannot run as their account fail. See isolation.md.',
  ),
  'isolation.env_passthrough': key(
    list(variableGlob()),
    '',
    'Variables of the worker that tasks with an account of their own get beside a minimal environment: names with * and ?. Never SVC_*, LD_* and the like.',
    'none',
  ),
  'diagnostics.enabled': key(
    boolean(),
    'true',
    'Whether what this worker logs is told to the diagnostics of the service.',
  ),
  ...LOG_KEYS,
} as const;

export const DAEMONS = { server: SERVER_KEYS, worker: WORKER_KEYS } as const;

export type Daemon = keyof typeof DAEMONS;

export type KeySet = Readonly<Record<string, ConfigKey<unknown>>>;

/** The values of a set of keys. */
export type ValuesOf<Keys extends KeySet> = {
  readonly [Name in keyof Keys]: Keys[Name] extends ConfigKey<infer T> ? T : never;
};
