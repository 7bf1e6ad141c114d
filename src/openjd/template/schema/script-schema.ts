import { fieldRules, LET_NAME, PLAIN_FILENAME, VARIABLE_NAME } from '../field-rules.ts';
import {
  ACTION_KEYS,
  CANCELATION_KEYS,
  CANCELATION_MODES,
  EMBEDDED_FILE_KEYS,
  EMBEDDED_FILE_TYPES,
  ENVIRONMENT_ACTIONS_KEYS,
  ENVIRONMENT_KEYS,
  LINE_ENDS,
  NOTIFY_KEYS,
  SCRIPT_KEYS,
  SIMPLE_ACTION_KEYS,
  STEP_ACTIONS_KEYS,
  WRAP_HOOKS,
} from '../shape/template-tables.ts';
import type { TemplateLimits } from '../template-limits.ts';
import {
  choiceOf,
  listOf,
  named,
  needsAllOrNone,
  needsOneOf,
  objectOf,
  valueOf,
  type SchemaNode,
} from './schema-node.ts';
import {
  FORMAT_STRING,
  formattedValue,
  identifierNode,
  integerSchema,
  limitedValue,
  textSchema,
} from './value-schemas.ts';

/** `name = expression` (section 3.6). */
const LET = `^\\s*${LET_NAME.source.replace(/^\^/, '').replace(/\$$/, '')}\\s*=\\s*\\S`;

export const letsNode = (limits: TemplateLimits): SchemaNode =>
  listOf(valueOf({ type: 'string', pattern: LET }), limits.maxLetBindings);

/** Section 3.5. */
export const stepScriptNode = (limits: TemplateLimits): SchemaNode =>
  scriptNode(objectOf(STEP_ACTIONS_KEYS, { onRun: actionNode(limits) }), limits);

const scriptNode = (actions: SchemaNode, limits: TemplateLimits): SchemaNode =>
  objectOf(SCRIPT_KEYS, {
    let: letsNode(limits),
    actions,
    embeddedFiles: listOf(embeddedFileNode(limits)),
  });

/** Section 5. */
const actionNode = (limits: TemplateLimits): SchemaNode =>
  named(
    'action',
    objectOf(ACTION_KEYS, {
      command: valueOf(textSchema(fieldRules(limits).command)),
      ...runNodes(limits),
    }),
  );

/** Section 8. */
export const simpleActionNode = (limits: TemplateLimits): SchemaNode =>
  named(
    'simple action',
    objectOf(SIMPLE_ACTION_KEYS, {
      let: letsNode(limits),
      script: valueOf({ type: 'string', minLength: 1 }),
      ...runNodes(limits),
    }),
  );

/** Keys that actions and simple actions share. */
function runNodes(limits: TemplateLimits) {
  const { argument, exprArgument } = fieldRules(limits);
  return {
    args: listOf(valueOf(textSchema(exprArgument), { EXPR: textSchema(argument) })),
    timeout: formattedValue(integerSchema(1)),
    cancelation: cancelationNode(limits),
  };
}

/** Section 5.3. */
function cancelationNode(limits: TemplateLimits): SchemaNode {
  const mode = formattedValue({ enum: CANCELATION_MODES });
  const notifyPeriodInSeconds = formattedValue(integerSchema(1, limits.maxNotifySeconds));
  const notifying = objectOf({ ...CANCELATION_KEYS, ...NOTIFY_KEYS } as const, {
    mode,
    notifyPeriodInSeconds,
  });
  return choiceOf('mode', mode, [
    { when: { const: 'TERMINATE' }, node: objectOf(CANCELATION_KEYS, { mode }) },
    {
      when: { const: 'NOTIFY_THEN_TERMINATE' },
      node: notifying,
    },
    { when: FORMAT_STRING, node: notifying },
  ]);
}

/** Section 6. */
const embeddedFileNode = (limits: TemplateLimits): SchemaNode =>
  named(
    'embedded file',
    objectOf(EMBEDDED_FILE_KEYS, {
      name: identifierNode(limits),
      type: valueOf({ enum: EMBEDDED_FILE_TYPES }),
      filename: limitedValue(limits, (each) => ({
        ...textSchema(fieldRules(each).filename),
        pattern: PLAIN_FILENAME.source,
      })),
      runnable: valueOf({ type: 'boolean' }),
      data: valueOf({ type: 'string', minLength: 1 }),
      endOfLine: valueOf({ enum: LINE_ENDS }),
    }),
  );

/** Section 4. */
export function environmentNode(limits: TemplateLimits): SchemaNode {
  const { description, variableValue } = fieldRules(limits);
  const action = actionNode(limits);
  const actions = objectOf(
    ENVIRONMENT_ACTIONS_KEYS,
    {
      onEnter: action,
      onWrapEnvEnter: action,
      onWrapTaskRun: action,
      onWrapEnvExit: action,
      onExit: action,
    },
    { ...needsOneOf(['onEnter', 'onExit', ...WRAP_HOOKS]), ...needsAllOrNone(WRAP_HOOKS) },
  );
  return named(
    'environment',
    objectOf(
      ENVIRONMENT_KEYS,
      {
        name: limitedValue(limits, (each) => textSchema(fieldRules(each).name)),
        description: valueOf(textSchema(description)),
        variables: valueOf({
          type: 'object',
          minProperties: 1,
          propertyNames: { pattern: VARIABLE_NAME.source, maxLength: limits.maxVariableName },
          additionalProperties: textSchema(variableValue),
        }),
        script: scriptNode(actions, limits),
      },
      needsOneOf(['variables', 'script']),
    ),
  );
}
