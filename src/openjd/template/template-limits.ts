/**
 * Limits of a template, as data. The first group is from the specification (with its sections), the second one is of
 * this project.
 */
export interface TemplateLimits {
  /** 1.1.1 */
  readonly maxJobName: number;
  /** 1.1 */
  readonly maxParameters: number;
  /** 2.5 */
  readonly maxParameterValue: number;
  /** 2.6 */
  readonly maxLabel: number;
  /** 2.2 and 2.7: filters of a parameter, and patterns of a filter. */
  readonly maxFileFilters: number;
  /** 2.8 */
  readonly maxFilePattern: number;
  /** 3.1 and 4.1 */
  readonly maxName: number;
  /** 3.3 */
  readonly maxRequirements: number;
  /** 3.3.1.1 and 3.3.2.1 */
  readonly maxCapabilityName: number;
  /** 3.3.2 */
  readonly maxAttributeValues: number;
  /** 3.3.2.2 */
  readonly maxAttributeValue: number;
  /** 3.4 */
  readonly maxTaskParameters: number;
  /** 3.4.1.1 and following */
  readonly maxRangeValues: number;
  /** 3.4.2 */
  readonly maxTaskParameterValue: number;
  /** 3.4.3 */
  readonly maxCombination: number;
  /** 3.6 */
  readonly maxLetBindings: number;
  /** 3.6.1 */
  readonly maxLetName: number;
  /** 4.4.1 */
  readonly maxVariableName: number;
  /** 4.4.2 */
  readonly maxVariableValue: number;
  /** 5.3.2 */
  readonly maxNotifySeconds: number;
  /** 6.1.1 */
  readonly maxFilename: number;
  /** 7.1 */
  readonly maxIdentifier: number;
  /** 7.2 */
  readonly maxDescription: number;

  /** Limits with the extension FEATURE_BUNDLE_1, which replace those above. */
  readonly withFeatureBundle1: BundleLimits;

  /** Comma-separated parts of one range expression. */
  readonly maxRangeParts: number;
  /** Points of one step's parameter space (docs/contract/limits.md#expressions-and-templates). */
  readonly maxTasksPerStep: number;
}

export type BundleLimits = Pick<
  TemplateLimits,
  'maxJobName' | 'maxParameters' | 'maxName' | 'maxFilename' | 'maxIdentifier'
>;

/** Returns the limits of a template that declares the extensions. */
export const limitsOf = (limits: TemplateLimits, extensions: ReadonlySet<string>): TemplateLimits =>
  extensions.has('FEATURE_BUNDLE_1') ? { ...limits, ...limits.withFeatureBundle1 } : limits;

export const TEMPLATE_LIMITS: TemplateLimits = {
  maxJobName: 128,
  maxParameters: 50,
  maxParameterValue: 1024,
  maxLabel: 64,
  maxFileFilters: 20,
  maxFilePattern: 20,
  maxName: 64,
  maxRequirements: 50,
  maxCapabilityName: 100,
  maxAttributeValues: 50,
  maxAttributeValue: 100,
  maxTaskParameters: 16,
  maxRangeValues: 1024,
  maxTaskParameterValue: 1024,
  maxCombination: 1280,
  maxLetBindings: 50,
  maxLetName: 512,
  maxVariableName: 256,
  maxVariableValue: 2048,
  maxNotifySeconds: 600,
  maxFilename: 64,
  maxIdentifier: 64,
  maxDescription: 2048,
  withFeatureBundle1: {
    maxJobName: 512,
    maxParameters: 200,
    maxName: 512,
    maxFilename: 256,
    maxIdentifier: 512,
  },
  maxRangeParts: 10_000,
  maxTasksPerStep: 1_000_000,
};
