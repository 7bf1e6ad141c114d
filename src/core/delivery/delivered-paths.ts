import { parseFormatString, resolveFormatString } from '../../openjd/template/format-string.ts';
import type { ExtensionName } from '../../openjd/template/extensions.ts';
import { pathMapper, type PathMappingRule } from '../../openjd/template/path-mapping.ts';
import { isUriPath } from '../../openjd/primitives/uri-path.ts';
import type { ParameterValue } from '../../openjd/template/plan.ts';
import {
  DEFAULT_DELIVERIES,
  DELIVERY_ORDER,
  RULE_SYMBOLS,
  type CommandFlags,
  type EnvironmentVariable,
  type PathDelivery,
} from '../../openjd/template/deliveries.ts';
import type { PathMapping } from './path-map.ts';
import { planStaging, type StagingTransfer } from './staging-plan.ts';

/** Changes to a session by the deliveries of a step. */
export interface DeliveredPaths {
  /** Maps values of `Param.X` and `Task.Param.X` of type PATH. */
  readonly mapPath: (path: string) => string;
  /** Content of the file `Session.PathMappingRulesFile`. */
  readonly rulesFile: string;
  readonly hasRules: boolean;
  /** Arguments before and after the arguments of onRun. */
  readonly argumentsBefore: readonly string[];
  readonly argumentsAfter: readonly string[];
  /** Variables of every action of the session. */
  readonly variables: Readonly<Record<string, string>>;
  readonly transfers: readonly StagingTransfer[];
  /**
   * The local copies of staged paths, by the name of the path (path-values.ts). In `Param.X` they take precedence over
   * the mapping.
   */
  readonly staged: ReadonlyMap<string, string>;
  /** Why tasks cannot run with these deliveries, as text for the owner of the job; null if they can. */
  readonly fault: string | null;
}

/** The deliveries and the session that they apply to. */
export interface DeliveryContext {
  /** Null if no storage location has a root at the worker's compute location. */
  readonly mapping: PathMapping | null;
  /** Undefined if the template declares none. */
  readonly deliveries: readonly PathDelivery[] | undefined;
  /** Extensions that the template declares; undefined if it declares none. */
  readonly extensions: readonly string[] | undefined;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Directory of the session, absolute. Staged files are below it. */
  readonly directory: string;
}

const PATH_MAPPING_VERSION = 'pathmapping-1.0';
const EXPR: ExtensionName = 'EXPR';

/**
 * Returns the changes by each delivery, applied in their fixed order. A root on S3 is not a path of this host: only
 * `stage_locally` can reach it. A path that is to be staged, but is in no storage location of the worker's compute
 * location, is a fault.
 */
export function deliver(context: DeliveryContext): DeliveredPaths {
  const { rules: every, roots } = context.mapping ?? { rules: [], roots: [] };
  const rules = every.filter(({ destination }) => !isUriPath(destination));
  let paths: DeliveredPaths = {
    mapPath: (path) => path,
    rulesFile: '{}',
    hasRules: false,
    argumentsBefore: [],
    argumentsAfter: [],
    variables: {},
    transfers: [],
    staged: new Map(),
    fault: null,
  };
  const deliveries = context.deliveries ?? DEFAULT_DELIVERIES;
  const unknown = unresolvable(deliveries);
  if (unknown !== null) {
    const fault = `pathDelivery: this worker cannot resolve ${JSON.stringify(unknown)}`;
    return { ...paths, fault };
  }
  for (const delivery of inOrder(deliveries)) {
    switch (delivery.type) {
      case 'swap_in_place':
        paths = { ...paths, mapPath: pathMapper(rules, 'POSIX') };
        break;
      case 'translation_file':
        paths = {
          ...paths,
          ...translationFile(context.extensions?.includes(EXPR) === true ? rules : ofFiles(rules)),
        };
        break;
      case 'command_flags': {
        const flags = flagsOf(delivery, rules);
        const place = delivery.position === 'START' ? 'argumentsBefore' : 'argumentsAfter';
        paths = { ...paths, [place]: flags };
        break;
      }
      case 'environment':
        if (rules.length > 0)
          paths = { ...paths, variables: { [delivery.variable]: variableOf(delivery, rules) } };
        break;
      case 'stage_locally': {
        const mapped = pathMapper(every, 'POSIX');
        const plan = planStaging(context.parameters, mapped, roots, context.directory);
        if (!plan.ok) {
          paths = { ...paths, fault: plan.detail };
          break;
        }
        const staged = new Map(plan.transfers.map(({ parameter, local }) => [parameter, local]));
        paths = { ...paths, transfers: plan.transfers, staged };
      }
    }
  }
  return paths;
}

/**
 * Returns a text that contains a reference which this version cannot resolve, as a later service may send it, or null.
 */
function unresolvable(deliveries: readonly PathDelivery[]): string | null {
  const texts = deliveries.flatMap((delivery) => {
    if (delivery.type === 'command_flags') return delivery.args;
    return delivery.type === 'environment' && delivery.entry !== undefined ? [delivery.entry] : [];
  });
  return texts.find((text) => filledIn(text, { source: '', destination: '' }) === null) ?? null;
}

const inOrder = (deliveries: readonly PathDelivery[]): readonly PathDelivery[] =>
  deliveries.toSorted((a, b) => DELIVERY_ORDER.indexOf(a.type) - DELIVERY_ORDER.indexOf(b.type));

/**
 * Without EXPR a template knows no sources that are URIs ("PathFormat" of the expression language), so the file leaves
 * them out.
 */
const ofFiles = (rules: readonly PathMappingRule[]): readonly PathMappingRule[] =>
  rules.filter(({ sourceFormat }) => sourceFormat !== 'URI');

function translationFile(rules: readonly PathMappingRule[]): Pick<DeliveredPaths, 'rulesFile' | 'hasRules'> {
  const file = {
    version: PATH_MAPPING_VERSION,
    path_mapping_rules: rules.map(({ sourceFormat, source, destination }) => ({
      source_path_format: sourceFormat,
      source_path: source,
      destination_path: destination,
    })),
  };
  return rules.length === 0
    ? { rulesFile: '{}', hasRules: false }
    : { rulesFile: JSON.stringify(file), hasRules: true };
}

const flagsOf = ({ args }: CommandFlags, rules: readonly PathMappingRule[]): readonly string[] =>
  rules.flatMap((rule) => args.map((argument) => filledIn(argument, rule) ?? ''));

function variableOf(
  { entry, separator = '' }: EnvironmentVariable,
  rules: readonly PathMappingRule[],
): string {
  if (entry !== undefined) return rules.map((rule) => filledIn(entry, rule) ?? '').join(separator);
  // If two rules have the same source, the first one applies.
  const pairs = new Map(rules.toReversed().map(({ source, destination }) => [source, destination]));
  return JSON.stringify(Object.fromEntries([...pairs].reverse()));
}

/** Fills in a format string for one rule. Returns null if it contains a reference that cannot be resolved. */
function filledIn(
  text: string,
  { source, destination }: Pick<PathMappingRule, 'source' | 'destination'>,
): string | null {
  const values = new Map<string, string>([
    [RULE_SYMBOLS.source, source],
    [RULE_SYMBOLS.destination, destination],
  ]);
  const format = parseFormatString(text);
  const resolved = format.ok ? resolveFormatString(format.value, (symbol) => values.get(symbol)) : format;
  return resolved.ok ? resolved.text : null;
}
