import { flagName } from './key-names.ts';

/** One flag of a command line, before its key is looked up. */
export interface GivenFlag {
  /** With its leading dashes. */
  readonly flag: string;
  /** Null if the flag has no value. */
  readonly value: string | null;
}

/** Short forms of flags that are typed by hand. */
const SHORT_FLAGS: ReadonlyMap<string, string> = new Map([
  ['--stop-bus', flagName('bus.stop_with_service')],
  ['--join', flagName('worker.join')],
  ['--cluster', flagName('cluster.name')],
  ['--node', flagName('cluster.node')],
  ['--peers', flagName('cluster.peers')],
]);

export type ReadFlags =
  | { readonly ok: true; readonly configFile: string | null; readonly flags: readonly GivenFlag[] }
  | { readonly ok: false; readonly lines: readonly string[] };

/**
 * Splits the arguments of a daemon into flags: `--a-b VALUE`, `--a-b=VALUE`, or `--a-b` without a value. `--config
 * FILE` is returned separately. An argument that belongs to no flag is an error.
 */
export function readFlags(args: readonly string[]): ReadFlags {
  const flags: GivenFlag[] = [];
  const lines: string[] = [];
  let configFile: string | null = null;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (!arg.startsWith('--') || arg === '--') {
      lines.push(`${JSON.stringify(arg)}: unexpected argument; the command takes only flags`);
      continue;
    }
    const equals = arg.indexOf('=');
    const flag = equals < 0 ? arg : arg.slice(0, equals);
    let value = equals < 0 ? null : arg.slice(equals + 1);
    const next = args[at + 1];
    if (value === null && next !== undefined && !next.startsWith('--')) {
      value = next;
      at++;
    }
    if (flag !== '--config') flags.push({ flag: SHORT_FLAGS.get(flag) ?? flag, value });
    else if (value === null || value === '') lines.push('--config: needs the path of a file');
    else configFile = value;
  }
  return lines.length > 0 ? { ok: false, lines } : { ok: true, configFile, flags };
}
