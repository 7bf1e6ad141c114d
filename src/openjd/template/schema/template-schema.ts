import { CONTROL } from '../../primitives/text-rules.ts';
import { KNOWN_EXTENSIONS, type ExtensionName } from '../extensions.ts';
import { fieldRules } from '../field-rules.ts';
import { ENVIRONMENT_TEMPLATE_KEYS, TEMPLATE_KEYS } from '../shape/template-tables.ts';
import { TEMPLATE_LIMITS, type TemplateLimits } from '../template-limits.ts';
import { VERSIONS } from '../validate/01-version-and-extensions.ts';
import { deliveriesNode } from './delivery-schema.ts';
import { parameterNode } from './parameter-schema.ts';
import { listOf, objectOf, SchemaWriter, valueOf, type JsonSchema, type SchemaNode } from './schema-node.ts';
import { environmentNode } from './script-schema.ts';
import { stepNode } from './step-schema.ts';
import { limitedList, limitedValue, resolvedText, textSchema } from './value-schemas.ts';

/** A kind of document: its `specificationVersion` and its content. */
interface DocumentKind {
  readonly version: string;
  readonly node: SchemaNode;
}

/**
 * Returns the JSON Schema of templates, made from the tables by which the checker reads them. It accepts every template
 * that the checker accepts. It cannot express rules between parts of a template, such as names of steps in
 * dependencies, and the content of format strings. All keywords mean the same in draft 7, which many editors use.
 */
export function templateSchema(limits: TemplateLimits = TEMPLATE_LIMITS): JsonSchema {
  const writer = new SchemaWriter();
  const kinds = [jobTemplate(limits), environmentTemplate(limits)];
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'OpenJD template',
    description:
      'Template of Open Job Description, as Callsheet checks it. Generated from the tables of its checker.',
    type: 'object',
    required: ['specificationVersion'],
    properties: { specificationVersion: { enum: kinds.map(({ version }) => version) } },
    allOf: kinds.map(({ version, node }) => ({
      if: { properties: { specificationVersion: { const: version } }, required: ['specificationVersion'] },
      then: {
        allOf: [writer.whole(node), ...KNOWN_EXTENSIONS.flatMap((name) => unless(writer, node, name))],
      },
    })),
    $defs: writer.definitions(),
  };
}

/** Specification, section 1.1. */
function jobTemplate(limits: TemplateLimits): DocumentKind {
  const nameSchema = ({ maxJobName }: TemplateLimits): JsonSchema => ({
    allOf: [
      resolvedText({ type: 'string', minLength: 1, maxLength: maxJobName }),
      { not: { pattern: CONTROL.source } },
    ],
  });
  const version = VERSIONS.job;
  return {
    version,
    node: objectOf(TEMPLATE_KEYS, {
      ...sharedNodes(version, limits),
      name: limitedValue(limits, nameSchema),
      description: valueOf(textSchema(fieldRules(limits).description)),
      jobEnvironments: listOf(environmentNode(limits)),
      steps: listOf(stepNode(limits)),
      pathDelivery: deliveriesNode(limits),
    }),
  };
}

/** Specification, section 1.2. */
function environmentTemplate(limits: TemplateLimits): DocumentKind {
  const version = VERSIONS.environment;
  return {
    version,
    node: objectOf(ENVIRONMENT_TEMPLATE_KEYS, {
      ...sharedNodes(version, limits),
      environment: environmentNode(limits),
    }),
  };
}

/** Keys of every kind of document. */
const sharedNodes = (version: string, limits: TemplateLimits) => ({
  specificationVersion: valueOf({ const: version }),
  $schema: valueOf({}),
  extensions: valueOf({
    type: 'array',
    minItems: 1,
    uniqueItems: true,
    items: { enum: KNOWN_EXTENSIONS },
    // Hooks pass the wrapped action as values of expressions.
    if: { contains: { const: 'WRAP_ACTIONS' } },
    then: { contains: { const: 'EXPR' } },
  }),
  parameterDefinitions: limitedList(parameterNode(limits), limits, (each) => each.maxParameters),
});

/** Returns the restrictions of a template that does not declare an extension. */
function unless(writer: SchemaWriter, node: SchemaNode, extension: ExtensionName): readonly JsonSchema[] {
  const restrictions = writer.without(node, extension);
  if (restrictions === null) return [];
  const declares = {
    required: ['extensions'],
    properties: { extensions: { type: 'array', contains: { const: extension } } },
  };
  return [{ if: declares, else: restrictions }];
}
