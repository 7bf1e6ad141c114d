import type { PathFormat, PathMappingRule } from '../../openjd/template/path-mapping.ts';
import {
  checked,
  messageParser,
  list,
  literal,
  oneOf,
  optional,
  record,
  text,
} from '../wire/field-readers.ts';
import type { Parsed } from '../wire/json-text.ts';

/** Path mapping rules in the format of other OpenJD tools (specification, "How Jobs Are Run", path mapping). */
interface PathMappingFile {
  readonly version?: 'pathmapping-1.0';
  readonly path_mapping_rules?: readonly RuleOfFile[];
}

interface RuleOfFile {
  readonly source_path_format: PathFormat;
  readonly source_path: string;
  readonly destination_path: string;
}

/** Limits of the whole text and of its rules. */
const LIMITS = { length: 1024 * 1024, nesting: 8, rules: 10_000, path: 4096 } as const;
const path = text(LIMITS.path, 1);

const readFile = messageParser(
  checked(
    record<PathMappingFile>({
      version: optional(literal('pathmapping-1.0')),
      path_mapping_rules: optional(
        list(
          record<RuleOfFile>({
            source_path_format: oneOf<PathFormat>({ POSIX: true, WINDOWS: true, URI: true }),
            source_path: path,
            destination_path: path,
          }),
          LIMITS.rules,
        ),
      ),
    }),
    ({ version, path_mapping_rules: rules }) =>
      rules !== undefined && version === undefined ? 'version must be "pathmapping-1.0"' : null,
  ),
  LIMITS,
);

/**
 * Parses a text of the format `pathmapping-1.0`. Returns its rules, the longest source first, or an error. `{}` has no
 * rules.
 */
export function readPathMapping(source: string): Parsed<readonly PathMappingRule[]> {
  const parsed = readFile(source);
  if (!parsed.ok) return parsed;
  const rules = (parsed.value.path_mapping_rules ?? []).map((rule) => ({
    sourceFormat: rule.source_path_format,
    source: rule.source_path,
    destination: rule.destination_path,
  }));
  return { ok: true, value: rules.sort((a, b) => b.source.length - a.source.length) };
}
