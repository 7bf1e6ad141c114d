import { stringify } from 'yaml';

/** Returns a value as YAML, with each text on a line of its own. */
export const writeYaml = (value: unknown): string => stringify(value, { lineWidth: 0 });
