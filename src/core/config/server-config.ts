import type { ExtraExtension } from '../../openjd/template/extensions.ts';
import type { JobLink } from './job-links.ts';
import type { RateLimit } from '../rate-limit/rate-limiter.ts';
import { clusterConfig, CLUSTER_REPLICAS, type ClusterConfig } from './cluster-config.ts';
import { authConfig, type AuthConfig } from './auth-config.ts';
import {
  busAccess,
  streamAccess,
  type BusAccess,
  type BusAccessValues,
  type StreamAccessValues,
} from './bus-access.ts';
import {
  busAuthentication,
  type BusAuthentication,
  type BusAuthenticationValues,
} from './bus-authentication.ts';
import type { PoolSources } from './pool-sources.ts';
import type { ConfigSources, Resolved } from './resolve.ts';
import { resolveServer } from './resolve.ts';
import type { AllowedTargets } from '../webhooks/target-address.ts';
import type { Target, TrustedPeers } from './http-types.ts';
import type { ListenAddress } from './value-type.ts';

/** Settings of `callsheet server`. Times are in milliseconds unless the name names another unit. Paths are as given. */
export interface ServerConfig {
  readonly http: {
    readonly addr: ListenAddress;
    readonly engine: 'auto' | 'uws' | 'node';
    /** Empty is not the same as `*` (docs/contract/authentication.md#csrf-and-cors). */
    readonly corsOrigins: readonly string[];
    /** In addition to the hosts that are always known. */
    readonly allowedHosts: readonly string[];
    /** An origin, in lower case; null: none. */
    readonly publicUrl: string | null;
    /** Null: requests are not limited. */
    readonly rateLimit: RateLimit | null;
    readonly connectionsPerClient: number;
    readonly bodies: { readonly perClient: number; readonly total: number };
    readonly trustProxy: TrustedPeers;
    readonly enablePprof: boolean;
    /** Null: profiles are served at `addr`. */
    readonly pprofAddr: ListenAddress | null;
    /** Path of the access log; null: none. */
    readonly accessLog: string | null;
  };
  readonly web: { readonly jobLinks: readonly JobLink[] };
  readonly auth: AuthConfig;
  readonly data: {
    readonly dir: string;
    /** 0: never. */
    readonly compactFreePercent: number;
  };
  readonly bus: {
    /** Empty means that the service starts its own server on `addr`. */
    readonly urls: readonly string[];
    readonly addr: ListenAddress;
    readonly serverPath: string;
    readonly stopsWithService: boolean;
    readonly isSingleServer: boolean;
    /** Null for the managed server, and for one that requires nothing beyond `urls`. */
    readonly access: BusAccess | null;
    /** Access to the account of the streams of an external server. The same object if it is that of `access`. */
    readonly streamAccess: BusAccess | null;
    /** Null: workers need no credentials. */
    readonly authentication: BusAuthentication | null;
    /** Null: chosen by the size of the cluster. */
    readonly replicas: number | null;
  };
  /** Null: a single node. */
  readonly cluster: ClusterConfig | null;
  /** Null: the service does not announce itself. */
  readonly discovery: DiscoveryConfig | null;
  readonly scheduler: {
    readonly heartbeatTimeoutMs: number;
    /** At least the heartbeat timeout. */
    readonly reclaimAfterMs: number;
    readonly maxAttempts: number;
    readonly retryDelaySeconds: number;
    /** 0: no limit. */
    readonly failureLimit: number;
    /** 0: never. */
    readonly unschedulableGraceMs: number;
    /** 0: never. */
    readonly reservationAfterMs: number;
    /** 0: jobs are not removed. */
    readonly jobRetentionMs: number;
    readonly jobRetentionIncludeFailed: boolean;
    readonly maxWorkersPerFarm: number;
    /** 0: workers are not removed. */
    readonly workerRetentionMs: number;
    readonly shards: number;
  };
  /** Folders of definition files; null if there is none. */
  readonly products: { readonly folder: string | null; readonly presetsFolder: string | null };
  /** Measurements of usage pools. */
  readonly pools: {
    readonly sources: PoolSources;
    readonly intervalMs: number;
    readonly timeoutMs: number;
    /** More than the interval and the timeout. */
    readonly maxAgeMs: number;
  };
  readonly webhooks: {
    readonly allowPrivate: AllowedTargets;
    /** Folder of ready-made bodies; null if there is none. */
    readonly formatFolder: string | null;
    readonly retryForMs: number;
    readonly poolExhaustedAfterMs: number;
  };
  readonly openjd: {
    readonly maxTasksPerStep: number;
    readonly exprMemoryBytes: number;
    readonly exprSubmissionDeadlineMs: number;
    readonly extraExtensions: readonly ExtraExtension[];
  };
  readonly events: {
    /** Per subject. */
    readonly replayDepth: number;
  };
  readonly diagnostics: {
    /** Records per component. 0 keeps none. */
    readonly bufferSize: number;
  };
  readonly logs: {
    /** 0: no limit. */
    readonly maxBytesPerTask: number;
  };
  readonly log: LogConfig;
}

export interface DiscoveryConfig {
  readonly name: string;
  /** IPv4 addresses; empty means all interfaces. */
  readonly interfaces: readonly string[];
}

export interface LogConfig {
  readonly format: 'json' | 'text';
  readonly level: 'debug' | 'info' | 'warn' | 'error';
}

/** Returns the configuration of the server from all sources, or one line for each error. */
export function serverConfig(sources: ConfigSources): Resolved<ServerConfig> {
  const resolved = resolveServer(sources);
  if (!resolved.ok) return resolved;
  const { values } = resolved;
  const lines: string[] = [];
  const heartbeatTimeoutMs = values['scheduler.heartbeat_timeout'];
  const reclaimAfterMs = values['scheduler.reclaim_after'] ?? heartbeatTimeoutMs;
  if (reclaimAfterMs < heartbeatTimeoutMs) {
    const limits = `${reclaimAfterMs / 1000} s is less than the ${heartbeatTimeoutMs / 1000} s of scheduler.heartbeat_timeout`;
    lines.push(`scheduler.reclaim_after: ${limits}`);
  }
  const pools = poolSettings(values, lines);
  const bus = busSettings(values, lines);
  const cluster = clusterConfig(values, lines);
  const notes: string[] = [];
  const auth = authConfig(values, lines, notes);
  if (lines.length > 0) return { ok: false, lines };
  return {
    ok: true,
    notes,
    values: {
      http: {
        addr: values['http.addr'],
        engine: values['http.engine'],
        corsOrigins: values['http.cors_origins'],
        allowedHosts: values['http.allowed_hosts'],
        publicUrl: values['http.public_url'],
        rateLimit: values['http.rate_limit.enabled']
          ? { rps: values['http.rate_limit.rps'], burst: values['http.rate_limit.burst'] }
          : null,
        connectionsPerClient: values['http.rate_limit.connections'],
        bodies: { perClient: values['http.body_bytes_per_client'], total: values['http.body_bytes'] },
        trustProxy: values['http.trust_proxy'],
        enablePprof: values['http.enable_pprof'],
        pprofAddr: values['http.pprof_addr'],
        accessLog: values['http.access_log'] === '' ? null : values['http.access_log'],
      },
      web: { jobLinks: values['web.job_links'] },
      auth,
      data: { dir: values['data.dir'], compactFreePercent: values['data.compact_free_percent'] },
      bus: {
        urls: values['bus.url'],
        addr: values['bus.addr'],
        serverPath: values['bus.server_path'],
        stopsWithService: values['bus.stop_with_service'],
        isSingleServer: cluster === null && values['bus.single_server'],
        ...bus,
        replicas: values['bus.replicas'] ?? (cluster === null ? null : CLUSTER_REPLICAS),
      },
      cluster,
      discovery: values['discovery.enabled']
        ? { name: values['discovery.name'], interfaces: values['discovery.interfaces'] }
        : null,
      scheduler: {
        heartbeatTimeoutMs,
        reclaimAfterMs,
        maxAttempts: values['scheduler.max_attempts'],
        retryDelaySeconds: values['scheduler.retry_delay_seconds'],
        failureLimit: values['scheduler.failure_limit'],
        unschedulableGraceMs: values['scheduler.unschedulable_grace'],
        reservationAfterMs: values['scheduler.reservation_after'],
        jobRetentionMs: values['scheduler.job_retention'],
        jobRetentionIncludeFailed: values['scheduler.job_retention_include_failed'],
        maxWorkersPerFarm: values['scheduler.max_workers_per_farm'],
        workerRetentionMs: values['scheduler.worker_retention'],
        shards: values['scheduler.shards'],
      },
      products: {
        folder: values['products.dir'] === '' ? null : values['products.dir'],
        presetsFolder: values['presets.dir'] === '' ? null : values['presets.dir'],
      },
      pools,
      webhooks: {
        allowPrivate: allowedTargets(values['webhooks.allow_private']),
        formatFolder: values['webhooks.format_dir'] === '' ? null : values['webhooks.format_dir'],
        retryForMs: values['webhooks.retry_for'],
        poolExhaustedAfterMs: values['webhooks.pool_exhausted_after'],
      },
      openjd: {
        maxTasksPerStep: values['openjd.max_tasks_per_step'],
        exprMemoryBytes: values['openjd.expr_memory_limit'],
        exprSubmissionDeadlineMs: values['openjd.expr_submission_deadline'],
        extraExtensions: [...new Set(values['openjd.extra_extensions'])],
      },
      events: { replayDepth: values['events.replay_depth'] },
      diagnostics: { bufferSize: values['diagnostics.buffer_size'] },
      logs: { maxBytesPerTask: values['logs.max_bytes_per_task'] },
      log: { format: values['log.format'], level: values['log.level'] },
    },
  };
}

const allowedTargets = (targets: readonly Target[]): AllowedTargets => ({
  names: targets.flatMap((each) => (each.kind === 'name' ? [each.name] : [])),
  networks: targets.flatMap((each) => (each.kind === 'network' ? [each.network] : [])),
});

interface PoolValues {
  readonly 'pools.reconcile': PoolSources;
  readonly 'pools.reconcile_interval': number;
  readonly 'pools.reconcile_timeout': number;
  readonly 'pools.reconcile_max_age': number;
}

/** Returns the settings of measured pools. A maximum age that values of a working source exceed is added to `lines`. */
function poolSettings(values: PoolValues, lines: string[]): ServerConfig['pools'] {
  const intervalMs = values['pools.reconcile_interval'];
  const timeoutMs = values['pools.reconcile_timeout'];
  const maxAgeMs = values['pools.reconcile_max_age'];
  if (maxAgeMs <= intervalMs + timeoutMs)
    lines.push(
      `pools.reconcile_max_age: ${maxAgeMs / 1000} s must be longer than pools.reconcile_interval and pools.reconcile_timeout together, ${(intervalMs + timeoutMs) / 1000} s`,
    );
  return { sources: values['pools.reconcile'], intervalMs, timeoutMs, maxAgeMs };
}

type BusValues = BusAccessValues &
  StreamAccessValues &
  BusAuthenticationValues & { readonly 'bus.url': readonly string[] };

/** Returns the access to the bus. Contradictions are added to `lines`. */
function busSettings(
  values: BusValues,
  lines: string[],
): Pick<ServerConfig['bus'], 'access' | 'streamAccess' | 'authentication'> {
  const urls = values['bus.url'];
  const access = busAccess(values, urls, lines);
  const streams = streamAccess(values, access, lines);
  const authentication = busAuthentication(values, urls, access, lines);
  const isManaged = urls.length === 0;
  // With authentication, the keys of TLS are the certificates of the managed server.
  const isOwnCertificate = authentication?.certificates !== null && authentication !== null;
  if (isManaged && !isOwnCertificate && (access !== null || streams !== null))
    lines.push(
      'bus.url: must be set for the other keys of the access to a NATS server: the managed server has none',
    );
  return isManaged
    ? { access: null, streamAccess: null, authentication }
    : { access, streamAccess: streams, authentication };
}
