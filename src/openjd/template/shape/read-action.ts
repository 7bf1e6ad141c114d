import type { Located } from '../located.ts';
import type { ObjectReader } from './object-reader.ts';
import type { ActionShape, CancelationShape, EmbeddedFileShape } from './template-shape.ts';
import {
  ACTION_KEYS,
  CANCELATION_KEYS,
  CANCELATION_MODES,
  EMBEDDED_FILE_KEYS,
  EMBEDDED_FILE_TYPES,
  LINE_ENDS,
  NOTIFY_KEYS,
} from './template-tables.ts';

/** The specification sets no limit to these lists. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Specification, section 5. */
export function readAction(reader: ObjectReader, at: Located | undefined): ActionShape | undefined {
  const fields = reader.object(at, ACTION_KEYS);
  if (at === undefined || fields === undefined) return undefined;
  return {
    at,
    command: reader.text(fields.get('command')),
    leadingArgs: [],
    args: reader.texts(fields.get('args'), UNLIMITED) ?? [],
    timeout: fields.get('timeout'),
    cancelation: readCancelation(reader, fields.get('cancelation')),
  };
}

/** Specification, section 5.3. The keys depend on the mode, which can be a format string with FEATURE_BUNDLE_1. */
export function readCancelation(reader: ObjectReader, at: Located | undefined): CancelationShape | undefined {
  if (at === undefined) return undefined;
  const mode =
    at.node.kind === 'mapping' ? at.node.entries.find(({ key }) => key === 'mode')?.value : undefined;
  const isTerminate = mode?.kind === 'string' && mode.value === 'TERMINATE';
  const fields = reader.object(at, isTerminate ? CANCELATION_KEYS : { ...CANCELATION_KEYS, ...NOTIFY_KEYS });
  if (fields === undefined) return undefined;
  const isFormat =
    reader.extensions.has('FEATURE_BUNDLE_1') && mode?.kind === 'string' && mode.value.includes('{{');
  return {
    at,
    mode: isFormat ? reader.text(fields.get('mode')) : reader.word(fields.get('mode'), CANCELATION_MODES),
    notifyPeriod: fields.get('notifyPeriodInSeconds'),
  };
}

/** Specification, section 6. */
export function readEmbeddedFiles(reader: ObjectReader, at: Located | undefined): EmbeddedFileShape[] {
  return (reader.list(at, UNLIMITED) ?? []).flatMap((item) => {
    const fields = reader.object(item, EMBEDDED_FILE_KEYS);
    if (fields === undefined) return [];
    reader.word(fields.get('type'), EMBEDDED_FILE_TYPES);
    return {
      at: item,
      name: reader.text(fields.get('name')),
      filename: reader.text(fields.get('filename')),
      runnable: reader.boolean(fields.get('runnable')) ?? false,
      data: reader.text(fields.get('data')),
      endOfLine: reader.word(fields.get('endOfLine'), LINE_ENDS),
      isGenerated: false,
    };
  });
}
