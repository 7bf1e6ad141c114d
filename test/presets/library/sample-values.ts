import type { CheckedTemplate } from '../../../src/openjd/template/check-template.ts';

type Parameter = CheckedTemplate['parameters'][number];

/** Texts for parameters that accept any text. */
export interface FreeTexts {
  readonly text: string;
  readonly path: string;
}

export const PLAIN: FreeTexts = { text: 'sample', path: '/show/shot/sample.####.exr' };

const QUOTES = `it's a "shot" '''x''' """y"""`;
const SUBSTITUTIONS = '$(touch pwned) `id` ${HOME} %PATH% {{Param.Frames}} {0} %s';
const COMMANDS = '; import os #& | > < * ? ! ~ \\n é 🎬';

/** A text that would end a literal, start a command or be filled in again if it were not quoted. */
export const HOSTILE: FreeTexts = {
  text: `${QUOTES} ${SUBSTITUTIONS} ${COMMANDS} \\`,
  path: `/show/${QUOTES} ${SUBSTITUTIONS}/${COMMANDS} a.####.exr`,
};

/** The same with control characters that a text may contain. */
export const HOSTILE_LINES: FreeTexts = {
  ...HOSTILE,
  text: `${QUOTES}\n${SUBSTITUTIONS}\r\n\t${COMMANDS} \\\nimport os`,
};

/**
 * Returns values for all parameters of a template, by name. Parameters that accept any text have one of the given
 * texts. All others have their default, or a value that their rules allow.
 */
export const valuesWith = (template: CheckedTemplate, texts: FreeTexts): ReadonlyMap<string, string> =>
  new Map(template.parameters.map((parameter) => [nameOf(parameter), valueOf(parameter, texts)]));

/** Returns values for the parameters without a default, as a user must give them. */
export const requiredValues = (template: CheckedTemplate): ReadonlyMap<string, string> =>
  new Map(
    template.parameters
      .filter((parameter) => parameter.default === null)
      .map((parameter) => [nameOf(parameter), valueOf(parameter, PLAIN)]),
  );

/** Returns the names of the parameters whose value is one text that the user chooses freely. */
export const freeTexts = (template: CheckedTemplate): ReadonlySet<string> =>
  new Set(template.parameters.filter((parameter) => isFree(parameter)).map(nameOf));

const nameOf = ({ shape }: Parameter): string => shape.name?.value ?? '';

const isFree = ({ rules: { type, allowed } }: Parameter): boolean =>
  allowed === null && (type === 'STRING' || type === 'PATH');

function valueOf({ rules, default: given }: Parameter, { text, path }: FreeTexts): string {
  const [first] = rules.allowed ?? [];
  if (first !== undefined) return given ?? first;
  switch (rules.type) {
    case 'STRING':
      return fitting(text, rules.maxLength);
    case 'PATH':
      return fitting(path, rules.maxLength);
    case 'LIST[STRING]':
      return JSON.stringify([text]);
    case 'LIST[PATH]':
      return JSON.stringify([path]);
    case 'INT':
    case 'FLOAT':
      return given ?? rules.minValue?.text ?? '1';
    case 'BOOL':
      return given ?? 'true';
    case 'RANGE_EXPR':
      return given ?? '1-3';
    case 'LIST[INT]':
    case 'LIST[FLOAT]':
      return given ?? '[1]';
    case 'LIST[BOOL]':
      return given ?? '[true]';
    case 'LIST[LIST[INT]]':
      return given ?? '[[1]]';
  }
}

const fitting = (text: string, maximum: number | null): string =>
  maximum === null ? text : Array.from(text).slice(0, maximum).join('');
