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

/** What the deliveries of a step change in a session. */
export interface DeliveredPaths {
  /** Of `Param.X` and `Task.Param.X` of type PATH. */
  readonly mapPath: (path: string) => string;
  /** What `Session.PathMappingRulesFile` holds. */
  readonly rulesFile: string;
  readonly hasRules: boolean;
  /** Around the arguments of onRun. */
  readonly argumentsBefore: readonly string[];
  readonly argumentsAfter: readonly string[];
  /** Of every action of the session. */
  readonly variables: Readonly<Record<string, string>>;
  readonly transfers: readonly StagingTransfer[];
  /** The copies of what is staged, by the name of the path (path-values.ts): they win over the mapping in `Param.X`. */
  readonly staged: ReadonlyMap<string, string>;
  /** Why tasks cannot run with this, in words for the one whose they are, or null. */
  readonly fault: string | null;
}

/** What is delivered, and where to. */
export interface DeliveryContext {
  /** Null when no storage is known at the worker's place. */
  readonly mapping: PathMapping | null;
  /** Undefined where the template says nothing. */
  readonly deliveries: readonly PathDelivery[] | undefined;
  /** That the template declares; undefined where it declares none. */
  readonly extensions: readonly string[] | undefined;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Of the session, absolute: what is staged lies below it. */
  readonly directory: string;
}

const PATH_MAPPING_VERSION = 'pathmapping-1.0';
const EXPR: ExtensionName = 'EXPR';

/**
 * What each delivery changes, in their fixed order. A root on S3 is no path of this host: only `stage_locally` reaches it. A path that is to
 * be staged and is found in no storage location of the worker's place is a fault.
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

/** A text that holds what this version cannot resolve, as a later service may send it; null when there is none. */
function unresolvable(deliveries: readonly PathDelivery[]): string | null {
  const texts = deliveries.flatMap((delivery) => {
    if (delivery.type === 'command_flags') return delivery.args;
    return delivery.type === 'environment' && delivery.entry !== undefined ? [delivery.entry] : [];
  });
  return texts.find((text) => filledIn(text, { source: '', destination: '' }) === null) ?? null;
}

const inOrder = (deliveries: readonly PathDelivery[]): readonly PathDelivery[] =>
  deliveries.toSorted((a, b) => DELIVERY_ORDER.indexOf(a.type) - DELIVERY_ORDER.indexOf(b.type));

/** Without EXPR a template knows no sources that are URIs ("PathFormat" of the expression language): they are no part of the file. */
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
  // Of two rules for one source the first holds.
  const pairs = new Map(rules.toReversed().map(({ source, destination }) => [source, destination]));
  return JSON.stringify(Object.fromEntries([...pairs].reverse()));
}

/** A format string for one rule; null when it holds what cannot be resolved. */
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
