/**
 * The tables of docs/contract/ as data, row by row. Rows of future features are listed separately and must be absent.
 * Additions of this service are listed as additive.
 */

/** "Endpoints" with the statuses of each route: the success status and its own errors. */
export const ROUTES: Readonly<Record<string, readonly number[]>> = {
  'GET /healthz': [200],
  'GET /readyz': [200, 503],
  'GET /metrics': [200],
  'GET /api/v1/openapi.yaml': [200],
  'GET /api/v1/version': [200],
  'GET /api/v1/auth/providers': [200],
  'POST /api/v1/auth/login': [200, 401, 409, 503],
  'POST /api/v1/auth/logout': [200],
  // 404: no sign-in by a provider.
  'GET /api/v1/auth/oidc/login': [303, 404],
  'GET /api/v1/auth/oidc/callback': [303, 404],
  'GET /api/v1/auth/me': [200],
  'PATCH /api/v1/auth/me': [200, 409],
  // 403: the current password is wrong; 503: too many passwords are being checked.
  'PUT /api/v1/auth/password': [204, 403, 409, 503],

  // 412: If-Match, which is an addition to the contract.
  'POST /api/v1/users': [201, 409, 503],
  'GET /api/v1/users': [200],
  'GET /api/v1/users/{id}': [200, 404],
  'PATCH /api/v1/users/{id}': [200, 404, 409, 412],
  'PUT /api/v1/users/{id}/password': [204, 404, 409, 503],
  'DELETE /api/v1/users/{id}': [204, 404, 409, 412],
  'POST /api/v1/api-keys': [201, 409],
  'GET /api/v1/api-keys': [200, 409],
  'DELETE /api/v1/api-keys/{id}': [204, 404, 409],
  'GET /api/v1/users/{id}/api-keys': [200, 404],
  'DELETE /api/v1/users/{id}/api-keys/{keyId}': [204, 404],

  // 409 in the first: a request with the same Idempotency-Key is in progress. 200: the response to `dry_run`, which is
  // an addition to the contract.
  'POST /api/v1/jobs': [200, 201, 409, 422, 503],
  'GET /api/v1/jobs': [200],
  'GET /api/v1/jobs/{id}': [200, 404],
  'GET /api/v1/jobs/{id}/tasks': [200, 404],
  // 409: pause or resume of a job that has ended.
  'PATCH /api/v1/jobs/{id}': [200, 404, 409, 412],
  'POST /api/v1/jobs/{id}/cancel': [204, 404, 409],
  // 409: the queue of a job that has ended was deleted.
  'POST /api/v1/jobs/{id}/retry': [200, 404, 409],
  'DELETE /api/v1/jobs/{id}': [204, 404, 412],

  'GET /api/v1/tasks/{id}': [200, 404],
  'GET /api/v1/tasks/{id}/attempts': [200, 404],
  'GET /api/v1/tasks/{id}/logs': [200, 404],
  'POST /api/v1/tasks/{id}/retry': [202, 404, 409],
  'POST /api/v1/tasks/{id}/cancel': [202, 404, 409],

  'GET /api/v1/workers': [200],
  'GET /api/v1/workers/{id}': [200, 404],
  'POST /api/v1/workers/{id}/disable': [200, 404, 412],
  'POST /api/v1/workers/{id}/enable': [200, 404, 412],
  'DELETE /api/v1/workers/{id}': [204, 404, 409],

  'GET /api/v1/farms': [200],
  'POST /api/v1/farms': [201, 409],
  'GET /api/v1/farms/{id}': [200, 404],
  'PUT /api/v1/farms/{id}': [200, 404, 409, 412],
  'DELETE /api/v1/farms/{id}': [204, 404, 409, 412],
  'GET /api/v1/queues': [200],
  'POST /api/v1/queues': [201, 409],
  'GET /api/v1/queues/{id}': [200, 404],
  'PUT /api/v1/queues/{id}': [200, 404, 409, 412],
  'DELETE /api/v1/queues/{id}': [204, 404, 409, 412],
  'GET /api/v1/storage-locations': [200],
  'POST /api/v1/storage-locations': [201, 409],
  'GET /api/v1/storage-locations/{id}': [200, 404],
  'PUT /api/v1/storage-locations/{id}': [200, 404, 409, 412],
  'DELETE /api/v1/storage-locations/{id}': [204, 404, 412],
  'GET /api/v1/compute-locations': [200],
  'POST /api/v1/compute-locations': [201, 409],
  'GET /api/v1/compute-locations/{id}': [200, 404],
  'PUT /api/v1/compute-locations/{id}': [200, 404, 409, 412],
  'DELETE /api/v1/compute-locations/{id}': [204, 404, 412],
  'GET /api/v1/usage-pools': [200],
  'POST /api/v1/usage-pools': [201, 409],
  'GET /api/v1/usage-pools/{id}': [200, 404],
  'PUT /api/v1/usage-pools/{id}': [200, 404, 409, 412],
  'DELETE /api/v1/usage-pools/{id}': [204, 404, 412],

  'POST /api/v1/products/{name}/jobs': [200, 201, 404, 409, 422, 503],
  'GET /api/v1/products': [200, 503],
  'POST /api/v1/products': [201, 409, 422, 503],
  'GET /api/v1/products/{name}': [200, 404, 503],
  'PUT /api/v1/products/{name}': [200, 404, 412, 422, 503],
  'DELETE /api/v1/products/{name}': [204, 404, 412],
  'GET /api/v1/products/{name}/parameters': [200, 404, 422, 503],
  'GET /api/v1/presets': [200, 503],
  'GET /api/v1/presets/{name}': [200, 404, 503],
  'POST /api/v1/presets/{name}/install': [201, 404, 409, 422, 503],

  'GET /api/v1/diagnostics/logs': [200, 503],

  'GET /api/v1/ws': [101, 403, 426],
};

/** Statuses that every route may return, or every route with a body. */
export const COMMON_STATUSES = ['304', '400', '413', '415', '429', 'default'] as const;

/** "Limits", "Pagination": the routes with paginated lists. All others are plain arrays. */
export const PAGINATED: readonly string[] = [
  'GET /api/v1/jobs',
  'GET /api/v1/jobs/{id}/tasks',
  'GET /api/v1/queues',
  'GET /api/v1/workers',
];

/** "Catalog CRUD": "all other lists are bare arrays and ignore limit and offset". */
export const BARE_ARRAYS: readonly string[] = [
  'GET /api/v1/users',
  'GET /api/v1/users/{id}/api-keys',
  'GET /api/v1/api-keys',
  'GET /api/v1/farms',
  'GET /api/v1/storage-locations',
  'GET /api/v1/compute-locations',
  'GET /api/v1/usage-pools',
  'GET /api/v1/products',
  'GET /api/v1/products/{name}/parameters',
  'GET /api/v1/presets',
];

/** Query parameters by route: name, and what the contract specifies: type, default, minimum, maximum, enumeration. */
export interface QueryRow {
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly words?: readonly string[];
  readonly required?: true;
}

const JOB_STATUSES = ['pending', 'blocked', 'paused', 'running', 'completed', 'failed', 'canceled'];
const TASK_STATUSES = ['pending', 'ready', 'assigned', 'running', 'succeeded', 'failed', 'canceled'];
const PAGING: Readonly<Record<string, QueryRow>> = {
  limit: { default: 50, minimum: 1, maximum: 1000 },
  offset: { default: 0, minimum: 0 },
  sort_dir: { default: 'asc', words: ['asc', 'desc'] },
};

export const QUERIES: Readonly<Record<string, Readonly<Record<string, QueryRow>>>> = {
  'POST /api/v1/jobs': {
    farm_id: { required: true },
    queue_id: { required: true },
    owner: {},
    submitter: {},
    project: {},
    priority: { default: 50 },
    max_attempts: { minimum: 1 },
    retry_delay_seconds: { minimum: 0 },
    failure_limit: { minimum: 0 },
    depends_on: {},
    // `param.<Name>`: a map in the document.
    parameters: {},
  },
  'GET /api/v1/jobs': {
    status: { words: JOB_STATUSES },
    queue_id: {},
    farm_id: {},
    owner: {},
    project: {},
    search: {},
    sort_by: { default: 'created_at', words: ['created_at', 'priority', 'status', 'updated_at', 'name'] },
    ...PAGING,
  },
  'GET /api/v1/jobs/{id}/tasks': {
    status: { words: TASK_STATUSES },
    sort_by: { default: 'created_at', words: ['created_at', 'status', 'updated_at', 'name'] },
    ...PAGING,
  },
  'GET /api/v1/tasks/{id}/logs': {
    limit: { default: 100, minimum: 1, maximum: 1000 },
    after_bus_seq: { default: 0, minimum: 0 },
    tail: { default: false },
  },
  'GET /api/v1/workers': {
    farm_id: {},
    queue_id: {},
    compute_location: {},
    status: { words: ['online', 'offline', 'disabled'] },
    // The values are not listed here.
    sort_by: {
      default: 'name',
      words: ['name', 'hostname', 'status', 'compute_location', 'registered_at', 'last_heartbeat_at'],
    },
    ...PAGING,
  },
  'GET /api/v1/queues': {
    farm_id: {},
    paused: {},
    // The values are not listed here.
    sort_by: { default: 'created_at', words: ['created_at', 'name', 'priority', 'updated_at'] },
    ...PAGING,
  },
  'GET /api/v1/diagnostics/logs': {
    component: {},
    level: { words: ['DEBUG', 'INFO', 'WARN', 'ERROR'] },
    task_id: {},
    since: {},
    limit: { default: 1000, minimum: 1, maximum: 1000 },
  },
};

/** Additional parameters of contract routes. */
export const QUERIES_ADDITIVE: Readonly<Record<string, readonly string[]>> = {
  'GET /api/v1/tasks/{id}': ['details'],
  'GET /api/v1/tasks/{id}/logs': ['attempt', 'from_line'],
  'GET /api/v1/auth/oidc/login': ['return_to'],
  'GET /api/v1/auth/oidc/callback': ['code', 'state', 'iss', 'error'],
  'DELETE /api/v1/farms/{id}': ['force'],
  'GET /api/v1/workers': ['search', 'summary'],
  'GET /api/v1/workers/{id}': ['history'],
  'POST /api/v1/jobs': [
    'dry_run',
    'paused',
    'start_after',
    'canary_tasks',
    'max_concurrent_tasks',
    'step_max_concurrent_tasks',
  ],
  'GET /api/v1/jobs': ['product', 'summary'],
  'GET /api/v1/queues': ['summary'],
  'POST /api/v1/products/{name}/jobs': ['dry_run'],
  'GET /api/v1/products': ['summary'],
  'POST /api/v1/jobs/{id}/retry': ['dry_run', 'with_dependents'],
  'POST /api/v1/tasks/{id}/retry': ['with_dependents'],
  'GET /api/v1/jobs/{id}/tasks': ['step'],
};

const EVERYONE = ['read-only', 'user', 'operator', 'admin'];
/** "Roles and permissions": the roles with a Y, in column order. */
export const ROLES_OF_PERMISSIONS: Readonly<Record<string, readonly string[]>> = {
  'jobs.read': EVERYONE,
  'jobs.read.all': ['read-only', 'operator', 'admin'],
  'jobs.write': ['user', 'operator', 'admin'],
  'jobs.submit_as': ['operator', 'admin'],
  'workers.read': EVERYONE,
  'workers.manage': ['operator', 'admin'],
  'infra.read': EVERYONE,
  'infra.manage': ['operator', 'admin'],
  'products.read': EVERYONE,
  'products.manage': ['operator', 'admin'],
  'diagnostics.read': ['operator', 'admin'],
  'users.read': ['admin'],
  'users.manage': ['admin'],
  'apikeys.self': EVERYONE,
  'apikeys.admin': ['admin'],
  'isolation.manage': ['admin'],
};

/** docs/contract/errors.md#statuses. */
export const PROBLEM_STATUSES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};
export const PROBLEM_STATUSES_NOT_YET: readonly number[] = [];
/** A request to the event channel without a WebSocket upgrade, an internal server error, and heads that are refused. */
export const PROBLEM_STATUSES_ADDITIVE: Readonly<Record<number, string>> = {
  412: 'Precondition Failed',
  421: 'Misdirected Request',
  426: 'Upgrade Required',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  505: 'HTTP Version Not Supported',
};

/** Configuration keys with their defaults; `null` if the default depends on the machine or is empty. */
export const SERVER_KEYS: Readonly<Record<string, string | null>> = {
  'auth.enabled': 'false',
  'auth.bootstrap.username': null,
  'auth.bootstrap.password': '',
  'auth.session.cookie_name': 'svc_session',
  'auth.session.cookie_secure': 'auto',
  'auth.session.ttl': '168h',
  'auth.validate_job_owner': 'true',
  'auth.oidc.enabled': 'false',
  'auth.oidc.issuer': '',
  'auth.oidc.client_id': '',
  'auth.oidc.client_secret': '',
  'auth.oidc.scopes': 'openid,profile,email',
  'auth.oidc.redirect_url': '',
  'auth.oidc.username_claim': 'preferred_username',
  'auth.oidc.role_claim': 'groups',
  'auth.oidc.role_map': '',
  'auth.oidc.default_role': '',
  'auth.oidc.logout_mode': 'local',
  'http.addr': '0.0.0.0:8080',
  'http.allowed_hosts': null,
  'http.cors_origins': null,
  'http.enable_pprof': 'false',
  'http.public_url': null,
  'http.rate_limit.enabled': 'true',
  'http.rate_limit.rps': '20',
  'http.rate_limit.burst': '40',
  'http.trust_proxy': 'false',
  'auth.ldap.enabled': 'false',
  'auth.ldap.url': null,
  'auth.ldap.start_tls': 'false',
  'auth.ldap.ca_file': null,
  'auth.ldap.timeout': '5s',
  'auth.ldap.bind_dn': null,
  'auth.ldap.bind_password': null,
  'auth.ldap.user_base': null,
  'auth.ldap.user_filter': '(uid={username})',
  'auth.ldap.group_base': null,
  'auth.ldap.group_filter': '(member={dn})',
  'auth.ldap.unique_id_attr': null,
  'auth.ldap.display_name_attr': 'displayName',
  'auth.ldap.group_roles': null,
  'auth.ldap.default_role': null,
  'data.dir': './data',
  'bus.url': null,
  'bus.addr': '127.0.0.1:14222',
  'bus.server_path': 'nats-server',
  'discovery.enabled': 'false',
  'scheduler.heartbeat_timeout': '30s',
  'scheduler.unschedulable_grace': '30s',
  'scheduler.max_attempts': '3',
  'scheduler.retry_delay_seconds': '10',
  'scheduler.failure_limit': '0',
  'scheduler.job_retention': '0s',
  'scheduler.job_retention_include_failed': 'false',
  'openjd.max_tasks_per_step': '1000000',
  'openjd.expr_memory_limit': '1000000',
  'openjd.expr_submission_deadline': '5s',
  'events.replay_depth': '1000',
  'diagnostics.buffer_size': '1000',
  'presets.dir': null,
  'log.format': 'json',
  'log.level': 'info',
};
export const SERVER_KEYS_ADDITIVE: Readonly<Record<string, string>> = {
  'web.job_links': '',
  'openjd.extra_extensions': '',
  'http.pprof_addr': '',
  'http.access_log': '',
  'auth.bootstrap.password_file': '',
  'auth.oidc.client_secret_file': '',
  'auth.oidc.endpoint_hosts': '',
  'auth.login_throttle': 'true',
  'auth.password_length_min': '8',
  'auth.audit_retention': '2160h',
  'auth.audit_max_entries': '1000000',
  'discovery.name': 'callsheet',
  'discovery.interfaces': '',
  'scheduler.shards': '1',
  'scheduler.reservation_after': '5m',
  'scheduler.reclaim_after': '',
  'scheduler.max_workers_per_farm': '10000',
  'scheduler.worker_retention': '24h',
  'bus.stop_with_service': 'false',
  'bus.single_server': 'true',
  'bus.replicas': '',
  'bus.auth.enabled': 'false',
  'bus.auth.credential_lifetime': '720h',
  'bus.public_url': '',
  'bus.streams.user': '',
  'bus.streams.password_file': '',
  'bus.streams.credentials_file': '',
  'bus.streams.nkey_file': '',
  'bus.user': '',
  'bus.password': '',
  'bus.password_file': '',
  'bus.token': '',
  'bus.token_file': '',
  'bus.credentials_file': '',
  'bus.nkey_file': '',
  'bus.tls.ca_file': '',
  'bus.tls.cert_file': '',
  'bus.tls.key_file': '',
  'data.compact_free_percent': '50',
  'logs.max_bytes_per_task': '67108864',
  'http.rate_limit.connections': '1000',
  'http.engine': 'auto',
  'http.body_bytes': '268435456',
  'http.body_bytes_per_client': '67108864',
  'auth.ldap.bind_password_file': '',
  'products.dir': '',
  'webhooks.allow_private': '',
  'webhooks.format_dir': '',
  'webhooks.retry_for': '24h',
  'webhooks.pool_exhausted_after': '10m',
};
export const WORKER_KEYS: Readonly<Record<string, string | null>> = {
  'bus.url': 'nats://127.0.0.1:14222',
  'discovery.enabled': 'false',
  'worker.name': null,
  'worker.farm': null,
  'worker.queues': null,
  'worker.cpus': null,
  'worker.compute_location': null,
  'worker.tags': null,
  'worker.dir': null,
  'worker.allow_root': 'false',
  'isolation.enabled': 'true',
  'isolation.env_passthrough': null,
  'diagnostics.enabled': 'true',
  'log.format': 'json',
  'log.level': 'info',
};
export const WORKER_KEYS_ADDITIVE: Readonly<Record<string, string | null>> = {
  'isolation.default_user': '',
  'worker.log_spool_bytes': '67108864',
  'isolation.env_deny': 'SVC_*,AWS_*,NATS_*,*_TOKEN,*_SECRET*,LD_*',
  'isolation.limits': 'auto',
  'isolation.memory_factor': '1',
  'isolation.pids_max': '4096',
  'isolation.whole_cores': 'false',
  'isolation.network': 'open',
  'isolation.disk_quota': '0',
  'isolation.private_tmp': 'false',
  'isolation.hide_processes': 'false',
  'isolation.no_new_privileges': 'false',
  'bus.user': '',
  'bus.password': '',
  'bus.password_file': '',
  'bus.token': '',
  'bus.token_file': '',
  'bus.credentials_file': '',
  'bus.nkey_file': '',
  'bus.tls.ca_file': '',
  'bus.tls.cert_file': '',
  'bus.tls.key_file': '',
  'discovery.name': 'callsheet',
  'discovery.interfaces': '',
  'worker.memory_mib': null,
  'worker.amounts': null,
  'worker.gpus': null,
  'worker.detect_applications': 'true',
  'worker.session_linger': '5s',
  'worker.join': '',
  'worker.join_file': '',
  'worker.credentials_file': null,
  'worker.keep_sessions': 'false',
  'worker.previews': 'false',
  'worker.drain_timeout': '30s',
  'openjd.expr_memory_limit': '1000000',
};
