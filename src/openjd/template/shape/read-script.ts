import type { Located } from '../located.ts';
import type { TemplateLimits } from '../template-limits.ts';
import type { ObjectReader } from './object-reader.ts';
import { readLets } from './read-let.ts';
import type {
  ActionShape,
  CancelationShape,
  EmbeddedFileShape,
  EnvironmentShape,
  VariableShape,
} from './template-shape.ts';

/** The specification sets no limit to these lists. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Specification, section 5. */
export function readAction(reader: ObjectReader, at: Located | undefined): ActionShape | undefined {
  const fields = reader.object(at, {
    command: 'required',
    args: 'optional',
    timeout: 'optional',
    cancelation: 'optional',
  });
  if (at === undefined || fields === undefined) return undefined;
  return {
    at,
    command: reader.text(fields.get('command')),
    args: reader.texts(fields.get('args'), UNLIMITED) ?? [],
    timeout: fields.get('timeout'),
    cancelation: readCancelation(reader, fields.get('cancelation')),
  };
}

/** Specification, section 5.3. The keys depend on the mode. */
function readCancelation(reader: ObjectReader, at: Located | undefined): CancelationShape | undefined {
  if (at === undefined) return undefined;
  const notify =
    at.node.kind === 'mapping' &&
    !at.node.entries.some(
      ({ key, value }) => key === 'mode' && value.kind === 'string' && value.value === 'TERMINATE',
    );
  const fields = reader.object(
    at,
    notify ? { mode: 'required', notifyPeriodInSeconds: 'optional' } : { mode: 'required' },
  );
  if (fields === undefined) return undefined;
  return {
    at,
    mode: reader.word(fields.get('mode'), ['TERMINATE', 'NOTIFY_THEN_TERMINATE']),
    notifyPeriod: fields.get('notifyPeriodInSeconds'),
  };
}

/** Specification, section 6. */
export function readEmbeddedFiles(reader: ObjectReader, at: Located | undefined): EmbeddedFileShape[] {
  return (reader.list(at, UNLIMITED) ?? []).flatMap((item) => {
    const fields = reader.object(item, {
      name: 'required',
      type: 'required',
      filename: 'optional',
      runnable: 'optional',
      data: 'required',
      endOfLine: { needs: 'FEATURE_BUNDLE_1' },
    });
    if (fields === undefined) return [];
    reader.word(fields.get('type'), ['TEXT']);
    return {
      at: item,
      name: reader.text(fields.get('name')),
      filename: reader.text(fields.get('filename')),
      runnable: reader.boolean(fields.get('runnable')) ?? false,
      data: reader.text(fields.get('data')),
    };
  });
}

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
  const fields = reader.object(at, {
    name: 'required',
    description: 'optional',
    variables: 'optional',
    script: 'optional',
  });
  if (fields === undefined) return undefined;
  if (!fields.has('variables') && !fields.has('script'))
    reader.refuse(at, 'must have "variables" or "script"');
  const script = reader.object(fields.get('script'), {
    let: { needs: 'EXPR' },
    actions: 'required',
    embeddedFiles: 'optional',
  });
  const actions = reader.object(script?.get('actions'), { onEnter: 'required', onExit: 'optional' });
  return {
    at,
    name: reader.text(fields.get('name')),
    description: reader.text(fields.get('description')),
    variables: readVariables(reader, fields.get('variables')),
    hasScript: script !== undefined,
    lets: readLets(reader, script?.get('let'), limits),
    onEnter: readAction(reader, actions?.get('onEnter')),
    onExit: readAction(reader, actions?.get('onExit')),
    embeddedFiles: readEmbeddedFiles(reader, script?.get('embeddedFiles')),
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
