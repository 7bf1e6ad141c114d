import { fileValues } from './file-values.ts';
import type { GivenFlag } from './flags.ts';
import { environmentName, flagName } from './key-names.ts';
import { DAEMONS, type ConfigKey, type Daemon, type KeySet, type ValuesOf } from './keys.ts';
import { nearestName } from './nearest-name.ts';
import type { Parsed } from './value-type.ts';

/** Sources of values, weakest first: the defaults, the file, the environment, the flags. */
export interface ConfigSources {
  /** The parsed YAML document, and its path for messages; null if no file is given. */
  readonly file: { readonly path: string; readonly document: unknown } | null;
  /** The whole environment: only `SVC_*` variables are read, and an empty variable counts as not set. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly flags: readonly GivenFlag[];
}

/** Values, or one line for each error: `key: error (set in source)`. Notes are lines about settings without effect. */
export type Resolved<Values> =
  | { readonly ok: true; readonly values: Values; readonly notes: readonly string[] }
  | { readonly ok: false; readonly lines: readonly string[] };

/** The result with the keys that were given. */
export type ResolvedKeys<Values> =
  /** `given`: the keys that some source sets, with any value. */
  | { readonly ok: true; readonly values: Values; readonly given: ReadonlySet<string> }
  | Extract<Resolved<Values>, { ok: false }>;

/** Variables of the client commands. The daemons ignore them. */
const CLIENT_VARIABLES: ReadonlySet<string> = new Set(['SVC_URL', 'SVC_API_KEY']);

/** One value for one name, in the spelling of its source. */
interface Setting {
  readonly name: string;
  /** Where it was set, for messages. */
  readonly source: string;
  readonly nameOf: (key: string) => string;
  /**
   * Set for sources that both daemons may share (files and environments): keys of the other daemon are allowed there.
   */
  readonly shared: boolean;
  /** False for flags, which other users of the machine can read. */
  readonly mayHoldSecrets: boolean;
  readonly parse: (key: ConfigKey<unknown>) => Parsed<unknown>;
}

function fromFile(file: NonNullable<ConfigSources['file']>): Setting[] | null {
  const known = new Set(Object.values(DAEMONS).flatMap((keys) => Object.keys(keys)));
  const values = fileValues(file.document, (name) => known.has(name));
  if (values === null) return null;
  return values.map(([name, value]) => ({
    name,
    source: `the file ${file.path}`,
    nameOf: (key) => key,
    shared: true,
    mayHoldSecrets: true,
    parse: (key) => key.type.fromDocument(value),
  }));
}

function fromEnvironment(environment: ConfigSources['environment']): Setting[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (!name.startsWith('SVC_') || value === undefined || value === '' || CLIENT_VARIABLES.has(name))
      return [];
    return [
      {
        name,
        source: `the environment variable ${name}`,
        nameOf: environmentName,
        shared: true,
        mayHoldSecrets: true,
        parse: (key: ConfigKey<unknown>) => key.type.fromText(value),
      },
    ];
  });
}

function fromFlags(flags: readonly GivenFlag[]): Setting[] {
  return flags.map(({ flag, value }) => ({
    name: flag,
    source: `the flag ${flag}`,
    nameOf: flagName,
    shared: false,
    mayHoldSecrets: false,
    parse: (key) => {
      // `--worker-allow-root` without a value means true. Every other key needs a value.
      const parsed = key.type.fromText(value ?? 'true');
      const standsAlone = value === null && !(parsed.ok && parsed.value === true);
      return standsAlone ? { ok: false, wrong: 'needs a value' } : parsed;
    },
  }));
}

/**
 * Secrets that a flag may contain: a join token is used up at once, and the daemon removes it from its arguments
 * (docs/decisions/bus-identity.md).
 */
const SECRET_FLAGS: ReadonlySet<string> = new Set(['worker.join']);

/** Returns the error of a secret on a command line. It does not show the value. */
const secretFlag = (name: string, setting: Setting): string =>
  `${name}: a secret has no flag, because command lines are public; set ${name}_file or the environment variable ${environmentName(name)} (set in ${setting.source})`;

function unknownKey(setting: Setting, candidates: Iterable<string>): string {
  const nearest = nearestName(setting.name, [...candidates].map(setting.nameOf));
  const hint = nearest === null ? '' : `, did you mean ${nearest}?`;
  return `${setting.name}: no such key${hint} (set in ${setting.source})`;
}

/** Returns the values of a daemon's keys from all sources, or all errors in them. */
function resolve<Keys extends KeySet>(
  daemon: Daemon,
  keys: Keys,
  sources: ConfigSources,
): ResolvedKeys<Readonly<Record<string, unknown>>> {
  const own = Object.keys(keys);
  const others = Object.entries(DAEMONS).filter(([name]) => name !== daemon);
  const values: Record<string, unknown> = {};
  const given = new Set<string>();
  const lines: string[] = [];

  for (const [name, key] of Object.entries(keys)) {
    const parsed = key.type.fromText(key.default);
    if (parsed.ok) values[name] = parsed.value;
    else lines.push(`${name}: ${parsed.wrong} (the default)`);
  }

  const file = sources.file === null ? [] : fromFile(sources.file);
  if (file === null) lines.push(`the file ${sources.file?.path ?? ''} must hold a map of keys to values`);

  for (const setting of [
    ...(file ?? []),
    ...fromEnvironment(sources.environment),
    ...fromFlags(sources.flags),
  ]) {
    const means = (key: string): boolean => setting.nameOf(key) === setting.name;
    const name = own.find(means);
    const definition = name === undefined ? undefined : keys[name];
    if (name !== undefined && definition !== undefined) {
      if (definition.type.isSecret === true && !setting.mayHoldSecrets && !SECRET_FLAGS.has(name)) {
        lines.push(secretFlag(name, setting));
        continue;
      }
      const parsed = setting.parse(definition);
      given.add(name);
      if (parsed.ok) values[name] = parsed.value;
      else lines.push(`${name}: ${parsed.wrong} (set in ${setting.source})`);
      continue;
    }
    const other = others.find(([, theirs]) => Object.keys(theirs).some(means));
    if (other !== undefined) {
      if (!setting.shared)
        lines.push(`${setting.name}: is a flag of callsheet ${other[0]} (set in ${setting.source})`);
      continue;
    }
    lines.push(unknownKey(setting, own));
  }
  return lines.length > 0 ? { ok: false, lines } : { ok: true, values, given };
}

/** Resolves the keys of `callsheet server`. */
export function resolveServer(sources: ConfigSources): ResolvedKeys<ValuesOf<(typeof DAEMONS)['server']>> {
  return resolve('server', DAEMONS.server, sources) as ResolvedKeys<ValuesOf<(typeof DAEMONS)['server']>>;
}

/** Resolves the keys of `callsheet worker`. */
export function resolveWorker(sources: ConfigSources): ResolvedKeys<ValuesOf<(typeof DAEMONS)['worker']>> {
  return resolve('worker', DAEMONS.worker, sources) as ResolvedKeys<ValuesOf<(typeof DAEMONS)['worker']>>;
}
