import { parse } from 'yaml';

/** Parses the text of a template as YAML 1.2. Import this module dynamically, because it contains the parser. */
export const readYaml = (source: string): unknown =>
  parse(source, { version: '1.2', schema: 'core', logLevel: 'silent' });
