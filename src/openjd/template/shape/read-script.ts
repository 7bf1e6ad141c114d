import type { Located } from '../located.ts';
import type { TemplateLimits } from '../template-limits.ts';
import type { Fields, ObjectReader } from './object-reader.ts';
import { readAction, readEmbeddedFiles } from './read-action.ts';
import { readLets } from './read-let.ts';
import type { EnvironmentShape, VariableShape, WrapShape } from './template-shape.ts';
import { ENVIRONMENT_ACTIONS_KEYS, ENVIRONMENT_KEYS, SCRIPT_KEYS, WRAP_HOOKS } from './template-tables.ts';

/** The specification sets no limit to these lists. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Specification, section 4. */
export function readEnvironments(
  reader: ObjectReader,
  at: Located | undefined,
  limits: TemplateLimits,
): EnvironmentShape[] {
  return (reader.list(at, UNLIMITED) ?? []).flatMap((item) => readEnvironment(reader, item, limits) ?? []);
}

export function readEnvironment(
  reader: ObjectReader,
  at: Located,
  limits: TemplateLimits,
): EnvironmentShape | undefined {
  const fields = reader.object(at, ENVIRONMENT_KEYS);
  if (fields === undefined) return undefined;
  if (!fields.has('variables') && !fields.has('script'))
    reader.refuse(at, 'must have "variables" or "script"');
  const script = reader.object(fields.get('script'), SCRIPT_KEYS);
  const actions = reader.object(script?.get('actions'), ENVIRONMENT_ACTIONS_KEYS);
  const wrap = readWrap(reader, script?.get('actions'), actions);
  if (actions !== undefined && !actions.has('onEnter') && !actions.has('onExit') && wrap === undefined)
    refuseNoAction(reader, script?.get('actions'));
  return {
    at,
    name: reader.text(fields.get('name')),
    description: reader.text(fields.get('description')),
    variables: readVariables(reader, fields.get('variables')),
    hasScript: script !== undefined,
    lets: readLets(reader, script?.get('let'), limits),
    onEnter: readAction(reader, actions?.get('onEnter')),
    onExit: readAction(reader, actions?.get('onExit')),
    wrap,
    embeddedFiles: readEmbeddedFiles(reader, script?.get('embeddedFiles')),
  };
}

function refuseNoAction(reader: ObjectReader, at: Located | undefined): void {
  if (at !== undefined) reader.refuse(at, 'must have "onEnter" or "onExit"');
}

/** Specification, section 4.3. An environment has all three hooks or none. */
function readWrap(
  reader: ObjectReader,
  at: Located | undefined,
  actions: Fields | undefined,
): WrapShape | undefined {
  const missing = WRAP_HOOKS.filter((hook) => actions?.has(hook) !== true);
  if (at === undefined || missing.length === WRAP_HOOKS.length) return undefined;
  if (missing.length > 0)
    reader.refuse(
      at,
      `an environment that wraps actions has all of ${WRAP_HOOKS.join(', ')}; add ${missing.join(', ')}`,
    );
  return {
    at,
    onEnvEnter: readAction(reader, actions?.get('onWrapEnvEnter')),
    onTaskRun: readAction(reader, actions?.get('onWrapTaskRun')),
    onEnvExit: readAction(reader, actions?.get('onWrapEnvExit')),
  };
}

/** Specification, section 4.4. The keys are names, so any key is read here. */
function readVariables(reader: ObjectReader, at: Located | undefined): VariableShape[] {
  if (at === undefined) return [];
  if (at.node.kind !== 'mapping') {
    reader.refuse(at, 'must be a mapping of names to text');
    return [];
  }
  if (at.node.entries.length === 0) reader.refuse(at, 'must have at least one variable');
  return at.node.entries.flatMap(({ key, keyAt, value }) => {
    const text = reader.text({ node: value, parent: at, key, keyAt });
    return text === undefined ? [] : { name: key, value: text };
  });
}
