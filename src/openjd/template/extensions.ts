/**
 * Extensions and features as data (docs/contract/openjd.md#extensions): which names are known, and which of them a user
 * of the language carries out. What is known but not supported is refused with its pointer, never run half.
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

/** What a user of the language can deal with: validation alone more than the service, which has to run it. */
export interface SupportedFeatures {
  readonly extensions: readonly ExtensionName[];
  /** Host requirements `amount.worker.usagepool.<name>`. */
  readonly usagePools: boolean;
}

/** What is validated and expanded here: all that is known. */
export const LANGUAGE_FEATURES: SupportedFeatures = {
  extensions: KNOWN_EXTENSIONS,
  usagePools: true,
};

export const isKnownExtension = (name: string): name is ExtensionName =>
  KNOWN_EXTENSIONS.some((known) => known === name);
