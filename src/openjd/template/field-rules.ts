import type { TemplateLimits } from './template-limits.ts';
import type { TextRule } from './text-checks.ts';

const ANY_LENGTH = Number.MAX_SAFE_INTEGER;

const INSTEAD_OF_LINES =
  'put the script into an embedded file, or add the extension EXPR, with which arguments may have line breaks';

/**
 * Length and control characters of the texts of a template, as data: the checker and the JSON Schema of templates use
 * them.
 */
export const fieldRules = (limits: TemplateLimits) =>
  ({
    /** 7.2 */
    description: { min: 1, max: limits.maxDescription, control: 'lines' },
    /** 3.1 and 4.1 */
    name: { min: 1, max: limits.maxName, control: 'none' },
    /** 2.6 */
    label: { min: 1, max: limits.maxLabel, control: 'none' },
    /** 2.8 */
    filePattern: { min: 1, max: limits.maxFilePattern, control: 'any' },
    /** 3.4.3 */
    combination: { min: 1, max: limits.maxCombination, control: 'none' },
    /** 4.4.2 */
    variableValue: { min: 0, max: limits.maxVariableValue, control: 'any' },
    /** 5 */
    command: { min: 1, max: ANY_LENGTH, control: 'none' },
    argument: { min: 0, max: ANY_LENGTH, control: 'none', hint: INSTEAD_OF_LINES },
    /** With EXPR an argument may have several lines (docs/contract/openjd.md#extensions). */
    exprArgument: { min: 0, max: ANY_LENGTH, control: 'lines', hint: INSTEAD_OF_LINES },
    /** 6.1.1 */
    filename: { min: 1, max: limits.maxFilename, control: 'none' },
    /** docs/decisions/path-delivery.md */
    deliveryArgument: { min: 0, max: ANY_LENGTH, control: 'none' },
    deliveryEntry: { min: 1, max: limits.maxVariableValue, control: 'none' },
    deliverySeparator: { min: 0, max: limits.maxVariableValue, control: 'none' },
  }) as const satisfies Readonly<Record<string, TextRule>>;

/** 4.4.1: name of an environment variable. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** 2.8: `*`, `*.*` or `*.` and an extension. */
export const FILE_PATTERN = /^(?:\*|\*\.\*|\*\.[^\u0000-\u001f\u007f-\u009f\\/*?[\]#%&{}<>$!'":@`|=]+)$/;
/** 6.1.1: name of a file without directories. */
export const PLAIN_FILENAME = /^(?!\.{1,2}$)[^/\\]*$/;
/** 3.6: name of a binding. */
export const LET_NAME = /^[a-z_][A-Za-z0-9_]*$/;
