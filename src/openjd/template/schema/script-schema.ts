import { fieldRules, LET_NAME, PLAIN_FILENAME, VARIABLE_NAME } from '../field-rules.ts';
import {
  ACTION_KEYS,
  CANCELATION_KEYS,
  CANCELATION_MODES,
  EMBEDDED_FILE_KEYS,
  EMBEDDED_FILE_TYPES,
  ENVIRONMENT_ACTIONS_KEYS,
  ENVIRONMENT_KEYS,
  NOTIFY_KEYS,
  SCRIPT_KEYS,
  STEP_ACTIONS_KEYS,
} from '../shape/template-tables.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { choiceOf, listOf, named, needsOneOf, objectOf, valueOf, type SchemaNode } from './schema-node.ts';
import { identifierSchema, integerSchema, textSchema } from './value-schemas.ts';

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
function actionNode(limits: TemplateLimits): SchemaNode {
  const { command, argument, exprArgument } = fieldRules(limits);
  return named(
    'action',
    objectOf(ACTION_KEYS, {
      command: valueOf(textSchema(command)),
      args: listOf(valueOf(textSchema(exprArgument), { EXPR: textSchema(argument) })),
      timeout: valueOf(integerSchema(1)),
      cancelation: cancelationNode(limits),
    }),
  );
}

/** Section 5.3. */
function cancelationNode(limits: TemplateLimits): SchemaNode {
  const mode = valueOf({ enum: CANCELATION_MODES });
  const notifyPeriodInSeconds = valueOf(integerSchema(1, limits.maxNotifySeconds));
  const notifies = { ...CANCELATION_KEYS, ...NOTIFY_KEYS } as const;
  return choiceOf('mode', mode, [
    { when: { const: 'TERMINATE' }, node: objectOf(CANCELATION_KEYS, { mode }) },
    {
      when: { const: 'NOTIFY_THEN_TERMINATE' },
      node: objectOf(notifies, { mode, notifyPeriodInSeconds }),
    },
  ]);
}

/** Section 6. */
const embeddedFileNode = (limits: TemplateLimits): SchemaNode =>
  named(
    'embedded file',
    objectOf(EMBEDDED_FILE_KEYS, {
      name: valueOf(identifierSchema(limits.maxIdentifier)),
      type: valueOf({ enum: EMBEDDED_FILE_TYPES }),
      filename: valueOf({ ...textSchema(fieldRules(limits).filename), pattern: PLAIN_FILENAME.source }),
      runnable: valueOf({ type: 'boolean' }),
      data: valueOf({ type: 'string', minLength: 1 }),
    }),
  );

/** Section 4. */
export function environmentNode(limits: TemplateLimits): SchemaNode {
  const { name, description, variableValue } = fieldRules(limits);
  const actions = objectOf(ENVIRONMENT_ACTIONS_KEYS, {
    onEnter: actionNode(limits),
    onExit: actionNode(limits),
  });
  return named(
    'environment',
    objectOf(
      ENVIRONMENT_KEYS,
      {
        name: valueOf(textSchema(name)),
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
