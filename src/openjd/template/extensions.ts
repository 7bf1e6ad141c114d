/**
 * Extensions and features as data (docs/contract/openjd.md#extensions): the known names, and the subset that a user of
 * the language supports. A known but unsupported one is rejected with its pointer, and never partly executed.
 */
export type ExtensionName =
  | 'TASK_CHUNKING'
  | 'REDACTED_ENV_VARS'
  | 'EXPR'
  | 'SVC_PATH_TRANSLATION'
  | 'SVC_CHUNK_BOUNDS'
  | ExtraExtension;

/** Extensions that a service rejects unless its operator admits them (`openjd.extra_extensions`). */
export type ExtraExtension = 'FEATURE_BUNDLE_1' | 'WRAP_ACTIONS';

/** Extensions that every service accepts. */
export const REGISTERED_EXTENSIONS: readonly ExtensionName[] = [
  'TASK_CHUNKING',
  'REDACTED_ENV_VARS',
  'EXPR',
  'SVC_PATH_TRANSLATION',
  'SVC_CHUNK_BOUNDS',
];

export const EXTRA_EXTENSIONS: readonly ExtraExtension[] = ['FEATURE_BUNDLE_1', 'WRAP_ACTIONS'];

export const KNOWN_EXTENSIONS: readonly ExtensionName[] = [...REGISTERED_EXTENSIONS, ...EXTRA_EXTENSIONS];

/** Features that a user of the language supports. */
export interface SupportedFeatures {
  readonly extensions: readonly ExtensionName[];
  /**
   * Whether `Job.Name` and `Step.Name` have values in host requirements and parameter spaces, as in the specification. A service
   * does not give them (docs/contract/openjd.md#format-strings). Absent is false.
   */
  readonly namesAtCreation?: boolean;
}

/** Features that this package validates and expands: all known ones. */
export const LANGUAGE_FEATURES: SupportedFeatures = {
  extensions: KNOWN_EXTENSIONS,
  namesAtCreation: true,
};

/** Features of a service whose operator admits these further extensions. */
export const serviceFeatures = (extra: readonly ExtraExtension[]): SupportedFeatures => ({
  extensions: [...REGISTERED_EXTENSIONS, ...extra],
});

export const isKnownExtension = (name: string): name is ExtensionName =>
  KNOWN_EXTENSIONS.some((known) => known === name);
