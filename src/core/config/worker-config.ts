import { busAccess, type BusAccess } from './bus-access.ts';
import type { ConfigSources, Resolved } from './resolve.ts';
import { resolveWorker } from './resolve.ts';
import { secretSource, type SecretSource } from './secret-source.ts';
import type { DiscoveryConfig, LogConfig } from './server-config.ts';

/** Settings of `callsheet worker`. */
export interface WorkerConfig {
  readonly bus: {
    readonly urls: readonly string[];
    /** Whether `bus.url` is set, so that it takes precedence over the addresses in a credential. */
    readonly hasUrls: boolean;
    readonly access: BusAccess | null;
  };
  /** Null: the bus is at `bus.urls`. Otherwise the worker looks for the service, and `bus.urls` is ignored. */
  readonly discovery: DiscoveryConfig | null;
  readonly worker: {
    readonly name: string;
    /** Id or name. Empty: the only farm. */
    readonly farm: string;
    /** Ids or names. Empty: no affinity. */
    readonly queues: readonly string[];
    readonly cpus: number;
    readonly memoryMib: number;
    /** Null: the number of detected GPUs. */
    readonly gpus: number | null;
    /** Empty: none. */
    /** Further amounts by name in lower case. */
    readonly amounts: Readonly<Record<string, number>>;
    readonly computeLocation: string;
    readonly tags: Readonly<Record<string, string>>;
    readonly detectApplications: boolean;
    /** As given. The default is absolute. */
    readonly dir: string;
    /** Token with which it joins a bus with authentication. */
    readonly join: SecretSource;
    /** Its credential on the bus. */
    readonly credentialsFile: string;
    readonly sessionLingerMs: number;
    readonly keepSessions: boolean;
    readonly previews: boolean;
    readonly drainTimeoutMs: number;
    /** 0: no spool. */
    readonly logSpoolBytes: number;
    readonly allowRoot: boolean;
  };
  readonly openjd: {
    /** Memory that this worker grants to the evaluation of one expression. */
    readonly exprMemoryBytes: number;
  };
  readonly isolation: {
    readonly enabled: boolean;
    /** Empty: the worker's own account. */
    readonly defaultUser: string;
    /** Globs. */
    readonly envPassthrough: readonly string[];
    /** Globs. */
    readonly envDeny: readonly string[];
    readonly limits: 'auto' | 'off' | 'required';
    /** Memory limit in multiples of the request; 0: none. */
    readonly memoryFactor: number;
    /** 0: none. */
    readonly pidsMax: number;
    readonly wholeCores: boolean;
    readonly network: 'open' | 'no_bus' | 'none';
    /** 0: none. */
    readonly diskQuotaBytes: number;
    readonly privateTmp: boolean;
    readonly hideProcesses: boolean;
    readonly noNewPrivileges: boolean;
  };
  readonly diagnostics: { readonly enabled: boolean };
  readonly log: LogConfig;
}

/** Facts about the machine that defaults are derived from. */
export interface Machine {
  readonly hostName: string;
  readonly cpuCount: number;
  readonly memoryMib: number;
  readonly temporaryDirectory: string;
}

/** Returns a name as one component of a path. */
const asFileName = (name: string): string => encodeURIComponent(name).replaceAll('.', '%2E');

/** Returns the configuration of a worker from all sources, or one line for each error. */
export function workerConfig(sources: ConfigSources, machine: Machine): Resolved<WorkerConfig> {
  const resolved = resolveWorker(sources);
  if (!resolved.ok) return resolved;
  const { values } = resolved;
  const name = values['worker.name'] ?? machine.hostName;
  const lines: string[] = [];
  const access = busAccess(values, values['bus.url'], lines);
  const join = secretSource('worker.join', values, lines);
  const dir = values['worker.dir'] ?? `${machine.temporaryDirectory}/callsheet-worker-${asFileName(name)}`;
  if (lines.length > 0) return { ok: false, lines };
  return {
    ok: true,
    notes: [],
    values: {
      bus: { urls: values['bus.url'], hasUrls: resolved.given.has('bus.url'), access },
      discovery:
        values['discovery.enabled'] && !resolved.given.has('bus.url')
          ? { name: values['discovery.name'], interfaces: values['discovery.interfaces'] }
          : null,
      worker: {
        name,
        farm: values['worker.farm'],
        queues: values['worker.queues'],
        cpus: values['worker.cpus'] ?? machine.cpuCount,
        memoryMib: values['worker.memory_mib'] ?? machine.memoryMib,
        gpus: values['worker.gpus'],
        amounts: values['worker.amounts'],
        computeLocation: values['worker.compute_location'],
        tags: values['worker.tags'],
        detectApplications: values['worker.detect_applications'],
        dir,
        join,
        credentialsFile: values['worker.credentials_file'] ?? `${dir}/bus-credentials.json`,
        sessionLingerMs: values['worker.session_linger'],
        keepSessions: values['worker.keep_sessions'],
        previews: values['worker.previews'],
        drainTimeoutMs: values['worker.drain_timeout'],
        logSpoolBytes: values['worker.log_spool_bytes'],
        allowRoot: values['worker.allow_root'],
      },
      openjd: { exprMemoryBytes: values['openjd.expr_memory_limit'] },
      isolation: {
        enabled: values['isolation.enabled'],
        defaultUser: values['isolation.default_user'],
        envPassthrough: values['isolation.env_passthrough'],
        envDeny: values['isolation.env_deny'],
        limits: values['isolation.limits'],
        memoryFactor: values['isolation.memory_factor'],
        pidsMax: values['isolation.pids_max'],
        wholeCores: values['isolation.whole_cores'],
        network: values['isolation.network'],
        diskQuotaBytes: values['isolation.disk_quota'],
        privateTmp: values['isolation.private_tmp'],
        hideProcesses: values['isolation.hide_processes'],
        noNewPrivileges: values['isolation.no_new_privileges'],
      },
      diagnostics: { enabled: values['diagnostics.enabled'] },
      log: { format: values['log.format'], level: values['log.level'] },
    },
  };
}
