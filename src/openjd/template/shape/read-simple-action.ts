import type { Located, Text } from '../located.ts';
import type { TemplateLimits } from '../template-limits.ts';
import type { Fields, ObjectReader } from './object-reader.ts';
import { readAction, readCancelation, readEmbeddedFiles } from './read-action.ts';
import { readLets } from './read-let.ts';
import type { StepScriptShape } from './template-shape.ts';
import {
  SCRIPT_KEYS,
  SIMPLE_ACTION_KEYS,
  SIMPLE_ACTIONS,
  STEP_ACTIONS_KEYS,
  STEP_SCRIPTS,
  type SimpleActionName,
} from './template-tables.ts';

/** An interpreter of a simple action (specification, section 8): its command, and the script's place in the arguments. */
interface Interpreter {
  readonly command: string;
  readonly before: readonly string[];
  readonly filename: string;
}

/** The name of the generated file. The texts of a template cannot refer to it. */
const GENERATED = 'script';
const FILE_ARGUMENT = `{{Task.File.${GENERATED}}}`;

const INTERPRETERS: Readonly<Record<SimpleActionName, Interpreter>> = {
  bash: { command: 'bash', before: [], filename: 'script.sh' },
  cmd: { command: 'cmd', before: ['/C'], filename: 'script.bat' },
  node: { command: 'node', before: [], filename: 'script.js' },
  powershell: { command: 'powershell', before: ['-File'], filename: 'script.ps1' },
  python: { command: 'python', before: [], filename: 'script.py' },
};

const UNLIMITED = Number.MAX_SAFE_INTEGER;

const NO_SCRIPT: StepScriptShape = { scriptLets: [], onRun: undefined, embeddedFiles: [] };

/** Returns the script of a step: the one of its `script`, or that of a simple action. */
export function readStepScript(
  reader: ObjectReader,
  step: Located,
  fields: Fields,
  limits: TemplateLimits,
): StepScriptShape {
  const given = STEP_SCRIPTS.filter((name) => fields.has(name));
  const [first, ...others] = given;
  for (const other of others) {
    const at = fields.get(other);
    if (at !== undefined)
      reader.refuseKey(at, `a step has one script, and this one has "${String(first)}" as well`);
  }
  const at = first === undefined ? undefined : fields.get(first);
  if (first === undefined || at === undefined) {
    if (reader.extensions.has('FEATURE_BUNDLE_1'))
      reader.refuse(step, `must have "script" or one of ${SIMPLE_ACTIONS.join(', ')}`);
    return NO_SCRIPT;
  }
  return first === 'script'
    ? readScript(reader, at, limits)
    : readSimpleAction(reader, at, INTERPRETERS[first], limits);
}

/** Specification, section 3.5. */
function readScript(reader: ObjectReader, at: Located, limits: TemplateLimits): StepScriptShape {
  const script = reader.object(at, SCRIPT_KEYS);
  const actions = reader.object(script?.get('actions'), STEP_ACTIONS_KEYS);
  return {
    scriptLets: readLets(reader, script?.get('let'), limits),
    onRun: readAction(reader, actions?.get('onRun')),
    embeddedFiles: readEmbeddedFiles(reader, script?.get('embeddedFiles')),
  };
}

/** Specification, section 8. Returns the script that it stands for. */
function readSimpleAction(
  reader: ObjectReader,
  at: Located,
  { command, before, filename }: Interpreter,
  limits: TemplateLimits,
): StepScriptShape {
  const fields = reader.object(at, SIMPLE_ACTION_KEYS);
  if (fields === undefined) return NO_SCRIPT;
  const generated = (value: string): Text => ({ value, at });
  return {
    scriptLets: readLets(reader, fields.get('let'), limits),
    onRun: {
      at,
      command: generated(command),
      leadingArgs: [...before, FILE_ARGUMENT],
      args: reader.texts(fields.get('args'), UNLIMITED) ?? [],
      timeout: fields.get('timeout'),
      cancelation: readCancelation(reader, fields.get('cancelation')),
    },
    embeddedFiles: [
      {
        at,
        name: generated(GENERATED),
        filename: generated(filename),
        runnable: false,
        data: reader.text(fields.get('script')),
        endOfLine: undefined,
        isGenerated: true,
      },
    ],
  };
}
