/** How a product receives mapped paths (extension SVC_PATH_TRANSLATION, docs/decisions/path-delivery.md). */
export type PathDelivery =
  /** `Param.X` and `Task.Param.X` of type PATH are mapped. */
  | { readonly type: 'swap_in_place' }
  /** The rules are in the file `Session.PathMappingRulesFile`. */
  | { readonly type: 'translation_file' }
  | CommandFlags
  | EnvironmentVariable
  /**
   * PATH parameters of the job with a dataFlow are copied to the session's directory before the task, and back after
   * it.
   */
  | { readonly type: 'stage_locally' };

/** Arguments of onRun for each rule. */
export interface CommandFlags {
  readonly type: 'command_flags';
  /** Format strings that may refer to `Rule.Source` and `Rule.Destination`. */
  readonly args: readonly string[];
  /** Before or after the arguments that the template gives. */
  readonly position: FlagPosition;
}

export type FlagPosition = 'START' | 'END';

/** A variable of every action that contains the rules. */
export interface EnvironmentVariable {
  readonly type: 'environment';
  readonly variable: string;
  /**
   * Format string for each rule, which may refer to `Rule.Source` and `Rule.Destination`; absent means a JSON object of
   * source and destination.
   */
  readonly entry?: string;
  /** Between the entries. */
  readonly separator?: string;
}

export type DeliveryType = PathDelivery['type'];

/**
 * In the order in which they are applied, regardless of their order in the template
 * (docs/contract/openjd.md#extensions).
 */
export const DELIVERY_ORDER: readonly DeliveryType[] = [
  'swap_in_place',
  'translation_file',
  'command_flags',
  'environment',
  'stage_locally',
];

/** Deliveries of a template that declares none (docs/contract/openjd.md#extensions). */
export const DEFAULT_DELIVERIES: readonly PathDelivery[] = [
  { type: 'swap_in_place' },
  { type: 'translation_file' },
];

/** The values that a format string of a delivery may refer to. */
export const RULE_SYMBOLS = { source: 'Rule.Source', destination: 'Rule.Destination' } as const;
