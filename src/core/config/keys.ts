import { jobLinks } from './job-links.ts';
import { EXPR_LIMITS, EXPR_MEMORY_MAX } from '../../openjd/expr/expr-limits.ts';
import { EXTRA_EXTENSIONS } from '../../openjd/template/extensions.ts';
import { DENIED_VARIABLES } from '../access/denied-variables.ts';
import { PASSWORD_LENGTH_MAX } from '../access/password-rules.ts';
import { ROLES } from '../access/permissions.ts';
import { USERNAME_LENGTH_MAX } from '../records/user.ts';
import { BURST_MAX, RPS_MAX } from '../rate-limit/rate-limiter.ts';
import { WIRE_LIMITS } from '../wire/limits.ts';
import { amounts } from './amounts-type.ts';
import { clusterName, clusterPeer } from './cluster-config.ts';
import { hostPattern, origins, publicUrl, target, trustedPeers } from './http-types.ts';
import { endpointHost, optionalRole, roleMap } from './access-types.ts';
import { poolSources } from './pool-sources.ts';
import { groupRoles, ldapAttribute, ldapFilter, ldapUrl } from './ldap-types.ts';
import {
  address,
  boolean,
  busUrl,
  choice,
  cookieName,
  decimal,
  duration,
  integer,
  ipv4,
  list,
  name,
  optional,
  secret,
  size,
  tags,
  text,
  variableGlob,
  type ValueType,
} from './value-type.ts';

/**
 * One configuration key (docs/contract/configuration.md). The names of its flag and variable follow from its own name:
 * see key-names.ts.
 */
export interface ConfigKey<T> {
  readonly type: ValueType<T>;
  /** As text of an environment variable. */
  readonly default: string;
  /** Meaning of an empty default, for the reference. */
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

/** The directory for logins (docs/contract/authentication.md#ldap). */
const LDAP_KEYS = {
  'auth.ldap.enabled': key(
    boolean(),
    'false',
    'Adds logins with an LDAP directory or Active Directory. It has no effect without `auth.enabled`. See sign-in-ldap.md.',
  ),
  'auth.ldap.url': key(
    list(ldapUrl()),
    '',
    'Servers of the directory: ldap://HOST[:PORT] or ldaps://HOST[:PORT]. If one cannot be reached, the next one is asked. Required for `auth.ldap.enabled`.',
    'none',
  ),
  'auth.ldap.start_tls': key(
    boolean(),
    'false',
    'Encrypts connections to ldap:// servers with StartTLS before anything else is sent. A server that refuses it is not used.',
  ),
  'auth.ldap.ca_file': key(
    text(),
    '',
    'PEM file with the certificate authorities of the directory servers, read for each connection.',
    'the authorities of Node',
  ),
  'auth.ldap.timeout': key(
    duration(100, 60 * SECOND_MS),
    '5s',
    'Maximum time that one server may take for a login, from the connection to the last answer. After that the next server is asked.',
  ),
  'auth.ldap.bind_dn': key(
    text(),
    '',
    'Account that searches for users and groups: a DN, or a name that the directory accepts instead.',
    'anonymous searches',
  ),
  'auth.ldap.bind_password': key(
    secret(),
    '',
    'Password of `auth.ldap.bind_dn`. Prefer `auth.ldap.bind_password_file`. It has no flag.',
    'none',
  ),
  'auth.ldap.bind_password_file': key(
    text(),
    '',
    'File with the password of `auth.ldap.bind_dn`. It is read for each login; a line feed at its end is ignored.',
    'none',
  ),
  'auth.ldap.user_base': key(
    text(),
    '',
    'DN below which users are searched. Required for `auth.ldap.enabled`.',
    'none',
  ),
  'auth.ldap.user_filter': key(
    ldapFilter(['username']),
    '(uid={username})',
    'Search filter for the entry of a user. {username} is replaced with the given name as one value.',
  ),
  'auth.ldap.group_base': key(
    text(),
    '',
    'DN below which groups are searched. Required for `auth.ldap.group_roles`.',
    'groups are not searched',
  ),
  'auth.ldap.group_filter': key(
    ldapFilter(['dn', 'username']),
    '(member={dn})',
    'Search filter for the groups of a user. {dn} is replaced with the DN of the entry, {username} with its name.',
  ),
  'auth.ldap.unique_id_attr': key(
    optional(ldapAttribute()),
    '',
    'Attribute that identifies a user permanently, such as entryUUID or objectGUID. It must have exactly one value. Required for `auth.ldap.enabled`.',
    'none',
  ),
  'auth.ldap.display_name_attr': key(
    ldapAttribute(),
    'displayName',
    'Attribute with the display name of a new account. The username is used for an entry without it.',
  ),
  'auth.ldap.group_roles': key(
    groupRoles(),
    '',
    'Role of the members of each group: a map of group DN to role in the file, the same map as JSON in a variable. The highest role wins.',
    'no group has a role',
  ),
  'auth.ldap.default_role': key(
    optional(choice(ROLES)),
    '',
    'Role of users who are in no group of `auth.ldap.group_roles`.',
    'such users cannot log in',
  ),
} as const;

const LOG_KEYS = {
  'log.format': key(choice(['json', 'text']), 'json', 'Format of log lines on standard error.'),
  'log.level': key(choice(['debug', 'info', 'warn', 'error']), 'info', 'Minimum level of log lines.'),
} as const;

/** The access to an external NATS server, the same for both daemons. */
const BUS_ACCESS_KEYS = {
  'bus.user': key(text(), '', 'User name for the NATS server.', 'no user'),
  'bus.password': key(secret(), '', 'Password of `bus.user`. Prefer `bus.password_file`.', 'none'),
  'bus.password_file': key(
    text(),
    '',
    'File with the password of `bus.user`. It is read for each connection; a line feed at its end is ignored.',
    'none',
  ),
  'bus.token': key(secret(), '', 'Token for the NATS server. Prefer `bus.token_file`.', 'none'),
  'bus.token_file': key(
    text(),
    '',
    'File with the token for the NATS server, read for each connection.',
    'none',
  ),
  'bus.credentials_file': key(
    text(),
    '',
    'NATS credentials file (.creds: a JWT and the seed of its key), read for each connection.',
    'none',
  ),
  'bus.nkey_file': key(
    text(),
    '',
    'File with the seed of an NKEY (SU…) whose public key the configuration of the NATS server names, read for each connection.',
    'none',
  ),
  'bus.tls.ca_file': key(
    text(),
    '',
    'PEM file with the certificate authorities of the NATS servers. Setting any key of `bus.tls` requires TLS; so does tls:// in `bus.url`. For the managed server with `bus.auth.enabled`: the authority of its own certificate.',
    'the authorities of Node',
  ),
  'bus.tls.cert_file': key(
    text(),
    '',
    'PEM file with the client certificate for the NATS servers, read for each connection. For the managed server with `bus.auth.enabled`: its own certificate, in place of the one that the service creates.',
    'none',
  ),
  'bus.tls.key_file': key(text(), '', 'PEM file with the key of `bus.tls.cert_file`.', 'none'),
} as const;

const DISCOVERY_NAME = name(63);
const DISCOVERY_NAME_DEFAULT = 'callsheet';
const EXPR_MEMORY = integer(1, EXPR_MEMORY_MAX);
const EXPR_MEMORY_DEFAULT = String(EXPR_LIMITS.memory);

/** Sign-in by a provider. */
const OIDC_KEYS = {
  'auth.oidc.enabled': key(
    boolean(),
    'false',
    'Lets users sign in by an OpenID Connect provider. Needs `auth.enabled`. See sign-in-oidc.md.',
  ),
  'auth.oidc.issuer': key(
    text(),
    '',
    'Issuer of the provider: an https URL, or http on a loopback address. The service reads the description of the provider below it at the first login.',
    'none',
  ),
  'auth.oidc.client_id': key(text(), '', 'Id of the service at the provider.', 'none'),
  'auth.oidc.client_secret': key(
    secret(),
    '',
    'Secret of the service at the provider. Prefer `auth.oidc.client_secret_file`.',
    'none: a public client, protected by PKCE alone',
  ),
  'auth.oidc.client_secret_file': key(
    text(),
    '',
    'File with the secret of the service at the provider, read each time the service reads the description of the provider. A line feed at its end is ignored.',
    'none',
  ),
  'auth.oidc.scopes': key(
    list(text()),
    'openid,profile,email',
    'Scopes that the service requests. `openid` is required.',
  ),
  'auth.oidc.redirect_url': key(
    text(),
    '',
    'Address of the callback as browsers reach it: the address of the service followed by `/api/v1/auth/oidc/callback`. It must be registered at the provider.',
    'none',
  ),
  'auth.oidc.endpoint_hosts': key(
    list(endpointHost()),
    '',
    "Hosts besides the issuer's that the service may send requests to, if the provider names endpoints there.",
    "the issuer's host only",
  ),
  'auth.oidc.username_claim': key(
    text(),
    'preferred_username',
    'Claim with the user name. A dot separates the names of nested claims.',
  ),
  'auth.oidc.role_claim': key(
    text(),
    'groups',
    'Claim with the values that `auth.oidc.role_map` maps: a text or a list of texts. A dot separates the names of nested claims.',
    'none',
  ),
  'auth.oidc.role_map': key(
    roleMap(),
    '',
    'Roles by value of the role claim. The highest role of a user wins.',
    'no value',
  ),
  'auth.oidc.default_role': key(
    optionalRole(),
    '',
    'Role of users without a mapped value.',
    'they cannot sign in',
  ),
  'auth.oidc.logout_mode': key(
    choice(['local', 'provider']),
    'local',
    '`provider`: signing out also ends the session at the provider.',
  ),
} as const;

/** A node of a cluster (high-availability.md). */
const CLUSTER_KEYS = {
  'cluster.name': key(
    optional(clusterName()),
    '',
    'Name of the cluster that this node belongs to. `--cluster` is the same. See high-availability.md.',
    'a single node',
  ),
  'cluster.node': key(
    optional(clusterName()),
    '',
    'Name of this node in `cluster.peers`. `--node` is the same.',
    'none',
  ),
  'cluster.peers': key(
    list(clusterPeer()),
    '',
    'All nodes of the cluster, at least three: NAME=HOST:PORT, the address at which the other nodes reach the nats-server of this node. The same on all nodes. `--peers` is the same.',
    'none',
  ),
  'cluster.secret_file': key(
    text(),
    '',
    'File with the secret of the cluster, made by `callsheet cluster secret` and copied to all nodes. Only its owner may read it. Not for `bus.url`.',
    'none',
  ),
  'cluster.servers_sync_always': key(
    boolean(),
    'false',
    'States that all servers of `bus.url` have `sync_interval: always`, where the service cannot read it. Without it, an acknowledged record can be lost when the power fails.',
  ),
} as const;

/** One template of the maximum size. */
const BODY_BYTES_MIN = 16 * 1024 * 1024;
const BODY_BYTES_MAX = 1024 ** 4;

const ALL_INTERFACES = 'all interfaces';

/** The keys of `callsheet server`. */
const SERVER_KEYS = {
  'http.addr': key(address(), '0.0.0.0:8080', 'Address of the REST API. Port 0 selects a free port.'),
  'http.engine': key(
    choice(['auto', 'uws', 'node']),
    'auto',
    'HTTP engine: `uws` (uWebSockets.js), `node` (node:http), or `auto`: uWebSockets.js where its binary for this version of Node is present and has the pinned checksum, otherwise node:http. With `uws` the service does not start without that binary.',
  ),
  'http.cors_origins': key(
    origins(),
    '',
    'Origins whose pages may call the API from a browser: scheme://host[:port], or *. Without authentication an empty list allows pages of every origin to read; only a written * also allows them to change something. With authentication, * has no effect. See security.md.',
    'every origin (*) may read',
  ),
  'http.allowed_hosts': key(
    list(hostPattern()),
    '',
    'Further names and addresses under which the service answers: NAME, *.DOMAIN, an address, or * for every one. A request to any other host gets 421. See security.md.',
    'loopback, the names and addresses of the machine, the hosts of `http.addr` and `http.public_url`',
  ),
  'http.public_url': key(
    optional(publicUrl()),
    '',
    'URL under which users reach the service, for example behind a reverse proxy with TLS. Its pages may use the API.',
    'none',
  ),
  'http.rate_limit.enabled': key(
    boolean(),
    'true',
    'Limits requests below /api/v1 per client address. IPv6 addresses count by /64.',
  ),
  'http.rate_limit.rps': key(
    integer(1, RPS_MAX),
    '20',
    'Average number of requests per second that an address may make.',
  ),
  'http.rate_limit.burst': key(integer(1, BURST_MAX), '40', 'Maximum number of requests in a burst.'),
  'http.rate_limit.connections': key(
    integer(1, 1_000_000),
    '1000',
    'Maximum number of event channel connections that an address may have at the same time. No limit if `http.rate_limit.enabled` is false.',
  ),
  'http.body_bytes': key(
    integer(BODY_BYTES_MIN, BODY_BYTES_MAX),
    '268435456',
    'Maximum number of bytes of all request bodies in memory at the same time. Requests beyond it get 503.',
  ),
  'http.body_bytes_per_client': key(
    integer(BODY_BYTES_MIN, BODY_BYTES_MAX),
    '67108864',
    'Maximum number of bytes of the request bodies of one client address in memory at the same time. Requests beyond it get 429.',
  ),
  'http.trust_proxy': key(
    trustedPeers(),
    'false',
    'Peers whose X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host count: addresses and networks of reverse proxies. The client is the last address of X-Forwarded-For that is not one of them. `true` trusts every peer and takes the last entry: use it only if every request comes through a proxy that sets the headers. See security.md.',
  ),
  'http.enable_pprof': key(
    boolean(),
    'false',
    'Serves profiles of every thread under /debug/pprof/ to every client that can reach the address.',
  ),
  'http.pprof_addr': key(
    optional(address()),
    '',
    'Address of /debug/pprof/ with `http.enable_pprof`, for example 127.0.0.1:6060. The routes are then absent at `http.addr`.',
    '`http.addr`',
  ),
  'http.access_log': key(
    text(),
    '',
    'File to which one line of JSON is appended for each request, for example /var/log/callsheet/access.log. SIGHUP opens it again, after a rotation. See operations.md.',
    'no access log',
  ),
  'auth.enabled': key(
    boolean(),
    'false',
    'Requires a credential for every request below /api/v1, and checks its permissions. Without it, every client that can reach the address is a superuser.',
  ),
  'auth.bootstrap.username': key(
    optional(name(USERNAME_LENGTH_MAX)),
    '',
    'Name of the first administrator, created if authentication is on and there is no account. Needs `auth.bootstrap.password` or its file.',
    'none',
  ),
  'auth.bootstrap.password': key(
    secret(),
    '',
    'Password of the first administrator. Prefer `auth.bootstrap.password_file`.',
    'none',
  ),
  'auth.bootstrap.password_file': key(
    text(),
    '',
    'File with the password of the first administrator; a line feed at its end is ignored.',
    'none',
  ),
  'auth.session.cookie_name': key(cookieName(), 'svc_session', 'Name of the session cookie.'),
  'auth.session.cookie_secure': key(
    choice(['auto', 'true', 'false']),
    'auto',
    'Whether the session cookie is `Secure`. `auto`: if the request arrived over TLS or has `X-Forwarded-Proto: https`.',
  ),
  'auth.session.ttl': key(
    duration(SECOND_MS, 3650 * 24 * HOUR_MS),
    '168h',
    'Time from a login until its session expires. Use does not extend it.',
  ),
  'auth.validate_job_owner': key(
    boolean(),
    'true',
    'Rejects a job whose owner is not the name of an account. Only with `auth.enabled`.',
  ),
  'auth.login_throttle': key(
    boolean(),
    'true',
    'Slows down logins of accounts and addresses that have failed repeatedly.',
  ),
  'auth.password_length_min': key(
    integer(1, PASSWORD_LENGTH_MAX),
    '8',
    'Minimum number of characters of a new password.',
  ),
  ...OIDC_KEYS,
  'auth.audit_retention': key(
    duration(SECOND_MS, 3650 * 24 * HOUR_MS),
    '2160h',
    'Time after which an entry of the audit log is deleted: 90 days.',
  ),
  'auth.audit_max_entries': key(
    integer(100, 100_000_000),
    '1000000',
    'Maximum number of entries of the audit log from senders with an account; the oldest are deleted. Denied requests of other senders have a tenth of it in addition, and so have decisions of the service.',
  ),
  'data.dir': key(
    text(),
    './data',
    'Directory of the store and of the managed bus. It is created if it does not exist.',
  ),
  'data.compact_free_percent': key(
    integer(0, 99),
    '50',
    'Percentage of free space from which a store file of 16 MiB or more is compacted at the start. 0 disables compaction. See operations.md.',
  ),
  'bus.url': key(
    list(busUrl()),
    '',
    'An external NATS server, or several servers of one cluster, with JetStream enabled.',
    'the service starts and supervises its own nats-server',
  ),
  ...BUS_ACCESS_KEYS,
  'bus.addr': key(
    address(1),
    '127.0.0.1:14222',
    'Address of the managed nats-server. Without `bus.auth.enabled`, use an address other than loopback only in a network where every host may act as a worker.',
  ),
  'bus.auth.enabled': key(
    boolean(),
    'false',
    'Gives every worker an identity on the bus: workers join with a token, and may use only their own subjects. The managed nats-server then requires TLS. With `bus.url`, the server must have the users of `callsheet bus permissions`. See bus-identity.md.',
  ),
  'bus.auth.credential_lifetime': key(
    duration(10 * SECOND_MS, 3650 * 24 * HOUR_MS),
    '720h',
    'Time for which the credential of a worker is valid: 30 days. Workers renew it after two thirds of this time.',
  ),
  'bus.public_url': key(
    list(busUrl()),
    '',
    'Addresses of the managed nats-server in join tokens: nats://HOST:PORT or tls://HOST:PORT.',
    'from `bus.addr`, with the name of the machine if it listens on all addresses',
  ),
  'bus.streams.user': key(
    text(),
    '',
    'User name for the account of the streams of an external NATS server, if workers have another account.',
    'the same access as for requests',
  ),
  'bus.streams.password_file': key(text(), '', 'File with the password of `bus.streams.user`.', 'none'),
  'bus.streams.credentials_file': key(
    text(),
    '',
    'NATS credentials file for the account of the streams.',
    'none',
  ),
  'bus.streams.nkey_file': key(
    text(),
    '',
    'File with the seed of an NKEY for the account of the streams.',
    'none',
  ),
  'bus.server_path': key(
    text(),
    'nats-server',
    'Program of the managed bus: a path, or a name. Of several programs with the name, on the PATH and in the folders of system programs, the newest is used.',
  ),
  'bus.stop_with_service': key(
    boolean(),
    'false',
    'Stops the managed nats-server when the service stops. Without it, the server continues, so that workers know that the service is down and continue their tasks. `--stop-bus` is the same.',
  ),
  'bus.single_server': key(
    boolean(),
    'true',
    'Whether a bus without a cluster and JetStream domain is one single server. Workers then trust its answer that no service is connected. Set it to false if leaf nodes are connected to the server. Always false in a cluster.',
  ),
  'bus.replicas': key(
    optional(integer(1, 5)),
    '',
    'Number of servers of the NATS cluster that keep a copy of each stream.',
    '3 on a cluster of three or more servers',
  ),
  ...CLUSTER_KEYS,
  'discovery.enabled': key(
    boolean(),
    'false',
    'Announces the service by mDNS, so that workers in its network find its bus.',
  ),
  'discovery.name': key(
    DISCOVERY_NAME,
    DISCOVERY_NAME_DEFAULT,
    'Name in the announcement. Workers look for this name. Different services in one network need different names.',
  ),
  'discovery.interfaces': key(
    list(ipv4()),
    '',
    'IPv4 addresses of the network interfaces for announcements.',
    ALL_INTERFACES,
  ),
  'scheduler.heartbeat_timeout': key(
    duration(SECOND_MS, HOUR_MS),
    '30s',
    'Time without a message after which a worker is offline: it gets no new tasks.',
  ),
  'scheduler.reclaim_after': key(
    optional(duration(SECOND_MS, WIRE_LIMITS.reclaimAfterMs)),
    '',
    'Time without a message after which the tasks of a worker are reclaimed and assigned again. At least `scheduler.heartbeat_timeout`. A worker without contact stops its tasks after two thirds of this time. See operations.md.',
    '`scheduler.heartbeat_timeout`',
  ),
  'scheduler.max_attempts': key(
    integer(1, 65_535),
    '3',
    'Number of genuine failures after which a task has failed. Farm, queue and job can override it.',
  ),
  'scheduler.retry_delay_seconds': key(
    integer(0, 31_536_000),
    '10',
    'Seconds before a failed task can start again. Farm, queue and job can override it.',
  ),
  'scheduler.failure_limit': key(
    integer(0, 1_000_000_000),
    '0',
    'Number of genuine failures of its tasks after which a job is parked. 0 means no limit. Farm, queue and job can override it.',
  ),
  'scheduler.unschedulable_grace': key(
    duration(0, 24 * HOUR_MS),
    '30s',
    'Time after which a ready task that no online worker may run is marked unschedulable, with the reason. 0 disables it.',
  ),
  'scheduler.reservation_after': key(
    duration(0, 7 * 24 * HOUR_MS),
    '5m',
    'Time after which a worker is reserved for a ready task that smaller tasks overtake. 0 disables reservations.',
  ),
  'scheduler.job_retention': key(
    duration(0, 3650 * 24 * HOUR_MS),
    '0s',
    'Time after its end when a completed job is removed with all its data. 0 keeps completed jobs.',
  ),
  'scheduler.job_retention_include_failed': key(
    boolean(),
    'false',
    'Also removes failed and canceled jobs after `scheduler.job_retention`.',
  ),
  'scheduler.max_workers_per_farm': key(
    integer(1, 1_000_000),
    '10000',
    'Maximum number of workers of a farm, online or not. Further workers are refused until others are deleted.',
  ),
  'scheduler.worker_retention': key(
    duration(0, 3650 * 24 * HOUR_MS),
    '24h',
    'Time after its last heartbeat when an offline worker that has never had a task is removed. 0 keeps such workers.',
  ),
  'scheduler.shards': key(
    integer(1, 64),
    '1',
    'Number of threads that process farms. Each farm is on exactly one thread, so more shards help only with several busy farms.',
  ),
  'products.dir': key(
    text(),
    '',
    'Folder of product definition files, which become built-in products of this service. Read at the start and on SIGHUP.',
    'none',
  ),
  'presets.dir': key(
    text(),
    '',
    'Folder of product definition files that are added to the preset library. A file replaces a preset of its name. Read at the start and on SIGHUP.',
    'none',
  ),
  'pools.reconcile': key(
    poolSources(),
    '',
    'Sources of the slots of usage pools, such as a script that asks a license server: a command of the shell, or an http:// or https:// URL, by the name of the pool. The answer is the number of slots that the farms may use in all. See policy.md.',
    'none',
  ),
  'pools.reconcile_interval': key(
    duration(SECOND_MS, 24 * HOUR_MS),
    '30s',
    'Time between two questions to a source of `pools.reconcile`.',
  ),
  'pools.reconcile_timeout': key(
    duration(100, HOUR_MS),
    '10s',
    'Maximum time that a source of `pools.reconcile` may take. After that the command is ended, and the measurement has failed.',
  ),
  'pools.reconcile_max_age': key(
    duration(SECOND_MS, 30 * 24 * HOUR_MS),
    '5m',
    'Age from which a value of a source is ignored: the pool has its configured slots again. Must be longer than the interval and the timeout together.',
  ),
  'webhooks.allow_private': key(
    list(target()),
    '',
    'Receivers of webhooks in private networks that are allowed: addresses, networks, or host names whatever their addresses. Others must have public addresses.',
    'none',
  ),
  'webhooks.format_dir': key(
    text(),
    '',
    'Folder of ready-made bodies of webhooks. A file replaces one of the package with its name. Read at the start and on SIGHUP.',
    'none',
  ),
  'webhooks.retry_for': key(
    duration(SECOND_MS, 30 * 24 * HOUR_MS),
    '24h',
    'Time after an event in which its delivery to a webhook is retried.',
  ),
  'webhooks.pool_exhausted_after': key(
    duration(SECOND_MS, 30 * 24 * HOUR_MS),
    '10m',
    'Time after which webhooks are notified of a usage pool without a free slot.',
  ),
  'openjd.max_tasks_per_step': key(
    integer(1, 1_000_000_000),
    '1000000',
    'Maximum number of tasks per step. Templates with larger steps are rejected.',
  ),
  'openjd.expr_memory_limit': key(
    EXPR_MEMORY,
    EXPR_MEMORY_DEFAULT,
    'Maximum memory in bytes for one expression of a template at submission. Templates that need more are rejected. Workers that grant less do not run jobs with EXPR.',
  ),
  'openjd.expr_submission_deadline': key(
    duration(1, HOUR_MS),
    '5s',
    'Maximum time to evaluate the template of a submission, without its wait for a thread. After that the response is 503; the template may still be valid.',
  ),
  'openjd.extra_extensions': key(
    list(choice(EXTRA_EXTENSIONS)),
    '',
    'Extensions of OpenJD that submissions may use beyond those that every service accepts. Templates with others are rejected.',
    'none',
  ),
  'logs.max_bytes_per_task': key(
    integer(0, 999_999_999_999_999),
    '67108864',
    'Maximum bytes of log kept per task, over all its attempts. The rest is dropped and a line in the log notes it. 0 means no limit.',
  ),
  'web.job_links': key(
    jobLinks(),
    '',
    'Links on the page of a job: a map of name to URL in the file, the same map as JSON in a variable. {job.id}, {job.name}, {job.owner}, {job.project} and {parameter.NAME} are replaced, percent-encoded. A link without a value for each is not shown.',
    'none',
  ),
  'events.replay_depth': key(
    integer(1, 100_000),
    '1000',
    'Number of events per subject kept in memory for clients that reconnect or read slowly.',
  ),
  'diagnostics.buffer_size': key(
    integer(0, 100_000),
    '1000',
    'Number of records of the service and of each worker kept in memory for `GET /api/v1/diagnostics/logs`. 0 keeps none.',
  ),
  ...LDAP_KEYS,
  ...LOG_KEYS,
} as const;

/** The keys of `callsheet worker`. */
const WORKER_KEYS = {
  'bus.url': key(
    list(busUrl(), 1),
    'nats://127.0.0.1:14222',
    'The NATS server of the service, or several servers of one cluster.',
  ),
  ...BUS_ACCESS_KEYS,
  'discovery.enabled': key(
    boolean(),
    'false',
    'Looks for the service by mDNS. A `bus.url` from any source takes precedence.',
  ),
  'discovery.name': key(DISCOVERY_NAME, DISCOVERY_NAME_DEFAULT, 'Name of the service to look for.'),
  'discovery.interfaces': key(
    list(ipv4()),
    '',
    'IPv4 addresses of the network interfaces to look for the service on.',
    ALL_INTERFACES,
  ),
  'worker.name': key(optional(text()), '', 'Name of this worker, unique in its farm.', 'the host name'),
  'worker.farm': key(
    text(),
    '',
    "Id or name of the worker's farm. Required if the service has more than one.",
    'the only farm',
  ),
  'worker.queues': key(
    list(text()),
    '',
    'Ids or names of the queues that this worker takes tasks from.',
    'no affinity: every queue of its farm',
  ),
  'worker.cpus': key(
    optional(integer(1, 65_536)),
    '',
    'Cores that tasks may reserve on this worker.',
    "the cores of the machine, or the limit of the worker's control group",
  ),
  'worker.memory_mib': key(
    optional(integer(1, WIRE_LIMITS.memoryMib)),
    '',
    'Memory of this worker in MiB: amount.worker.memory.',
    "the memory of the machine, or the limit of the worker's control group",
  ),
  'worker.gpus': key(
    optional(integer(0, WIRE_LIMITS.gpus)),
    '',
    'Number of GPUs of this worker: amount.worker.gpu. 0 disables their detection.',
    'the GPUs that nvidia-smi lists',
  ),
  'worker.amounts': key(
    amounts(),
    '',
    'Further amounts of this worker by name, matched with the same amount of steps: amount.scene.cache=8.',
    'none',
  ),
  'worker.compute_location': key(text(), '', "Name of the worker's compute location.", 'none'),
  'worker.tags': key(
    tags(),
    '',
    'Capability tags, matched with attr.worker.tag.<name> of steps. They take precedence over detected tags.',
    'none',
  ),
  'worker.detect_applications': key(
    boolean(),
    'true',
    'Detects installed applications and reports each as a tag with the value true.',
  ),
  'worker.join': key(
    secret(),
    '',
    'Token with which this worker joins a bus with authentication, once. `--join` is the same. Prefer `worker.join_file`. A worker that has a credential ignores it.',
    'none',
  ),
  'worker.join_file': key(
    text(),
    '',
    'File with the token of `worker.join`. A line feed at its end is ignored.',
    'none',
  ),
  'worker.credentials_file': key(
    optional(text()),
    '',
    'File with the credential of this worker on the bus, which the worker writes when it joins and renews it. Only its owner may read it.',
    'bus-credentials.json in `worker.dir`',
  ),
  'worker.dir': key(
    optional(text()),
    '',
    'Directory for the working directories of sessions and for unconfirmed reports.',
    'a directory named after the worker under the temporary directory of the system',
  ),
  'worker.session_linger': key(
    duration(0, HOUR_MS),
    '5s',
    'Time that a session waits for another task of its step, before its environments are exited.',
  ),
  'worker.keep_sessions': key(
    boolean(),
    'false',
    'Keeps the working directories of ended sessions, for debugging.',
  ),
  'worker.previews': key(
    boolean(),
    'false',
    'Makes small previews of images that tasks name as outputs, after the task has succeeded. Needs Linux and the program `prlimit`.',
  ),
  'worker.drain_timeout': key(
    duration(0, 24 * HOUR_MS),
    '30s',
    'Maximum time that tasks continue after a request to stop the worker. Then they are stopped and returned to the queue.',
  ),
  'worker.log_spool_bytes': key(
    integer(0, 999_999_999_999_999),
    '67108864',
    "Maximum bytes of task logs of all tasks kept on the worker's disk while the bus is unreachable. Further output is dropped and a line in the log notes it. 0 keeps none.",
  ),
  'worker.allow_root': key(
    boolean(),
    'false',
    'Allows the worker to run as root. Every user who can submit jobs can then run programs as root.',
  ),
  'openjd.expr_memory_limit': key(
    EXPR_MEMORY,
    EXPR_MEMORY_DEFAULT,
    'Maximum memory in bytes for one expression on this worker. A worker that grants less than the service gets no tasks of jobs with EXPR.',
  ),
  'isolation.enabled': key(
    boolean(),
    'true',
    'Runs tasks of queues with an account as that account. The worker must run as root for this; tasks that it cannot run as their account fail. See isolation.md.',
  ),
  'isolation.default_user': key(
    text(),
    '',
    'Account of tasks of queues without `run_as_user`, on a worker that runs as root. Empty: they run as root. See isolation.md.',
    'none',
  ),
  'isolation.env_passthrough': key(
    list(variableGlob()),
    '',
    'Variables of the worker that tasks with their own account get in addition to a minimal environment: names with * and ?. Variables of `isolation.env_deny`, and variables such as SVC_* and LD_*, are never passed.',
    'none',
  ),
  'isolation.env_deny': key(
    list(variableGlob()),
    DENIED_VARIABLES.join(','),
    'Variables of the worker that no task gets, with or without its own account: names with * and ?, in upper or lower case. A value replaces the whole list; SVC_* and CALLSHEET_* are never passed. Variables that a job sets are not affected.',
  ),
  'isolation.limits': key(
    choice(['auto', 'off', 'required']),
    'auto',
    'Limits of tasks by control groups. auto: those that the machine supports. required: a task fails where one of its limits cannot be set. off: none, and no peak memory and CPU time of attempts. See isolation.md.',
  ),
  'isolation.memory_factor': key(
    decimal(0, 1000),
    '1',
    'Memory limit of a task, in multiples of the `amount.worker.memory` that its step requests. 0: no limit. Steps that request none have no limit.',
  ),
  'isolation.pids_max': key(
    integer(0, 4_194_304),
    '4096',
    'Maximum number of processes and threads of one session. 0: no limit.',
  ),
  'isolation.whole_cores': key(
    boolean(),
    'false',
    'Limits the CPU time of a task to its cores. By default the cores are a weight: idle cores may be used by any task.',
  ),
  'isolation.network': key(
    choice(['open', 'no_bus', 'none']),
    'open',
    'Network of tasks. open: the network of the machine. no_bus: the same, but rules of the firewall (nftables) keep tasks from the bus. none: no network. The worker does not start where the machine does not allow it. See isolation.md.',
  ),
  'isolation.disk_quota': key(
    size(1024 ** 2, 1024 ** 5),
    '0',
    'Maximum disk space of the directory of one session, such as 200GiB. A task of a session that uses more is ended, and fails. 0: no quota. See isolation.md.',
  ),
  'isolation.private_tmp': key(
    boolean(),
    'false',
    'Gives each session a /tmp and /var/tmp of its own, which are removed with it. The worker does not start where the machine does not allow it. See isolation.md.',
  ),
  'isolation.hide_processes': key(
    boolean(),
    'false',
    'Shows tasks in /proc only the processes of their own account. Needs a worker of root with isolation.default_user; the worker does not start where it is impossible. See isolation.md.',
  ),
  'isolation.no_new_privileges': key(
    boolean(),
    'false',
    "Lets tasks of the worker's own account get no new privileges (sudo and other set-user-id programs). Tasks with an account of their own never get any. See isolation.md.",
  ),
  'diagnostics.enabled': key(
    boolean(),
    'true',
    'Sends the log records of this worker to the diagnostics of the service.',
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
