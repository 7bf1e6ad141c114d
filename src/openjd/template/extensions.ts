/**
 * Extensions and features as data (docs/contract/openjd.md#extensions): the known names, and the subset that a user of
 * the language supports. A known but unsupported one is rejected with its pointer, and never partly executed.
 */
export type ExtensionName =
  'TASK_CHUNKING' | 'REDACTED_ENV_VARS' | 'EXPR' | 'SVC_PATH_TRANSLATION' | 'SVC_CHUNK_BOUNDS';

export const KNOWN_EXTENSIONS: readonly ExtensionName[] = [
  'TASK_CHUNKING',
  'REDACTED_ENV_VARS',
  'EXPR',
  'SVC_PATH_TRANSLATION',
  'SVC_CHUNK_BOUNDS',
];

/** Features that a user of the language supports: validation supports more than the service, which executes them. */
export interface SupportedFeatures {
  readonly extensions: readonly ExtensionName[];
}

/** Features that this package validates and expands: all known ones. */
export const LANGUAGE_FEATURES: SupportedFeatures = {
  extensions: KNOWN_EXTENSIONS,
};

export const isKnownExtension = (name: string): name is ExtensionName =>
  KNOWN_EXTENSIONS.some((known) => known === name);
