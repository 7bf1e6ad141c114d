import { LET_NAME } from '../field-rules.ts';
import type { Located } from '../located.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { quoteForMessage } from '../../primitives/text-rules.ts';
import type { ObjectReader } from './object-reader.ts';
import type { LetShape } from './template-shape.ts';

/** Specification, section 3.6: `name = expression`, one name each. A later pass checks the expression. */
export function readLets(
  reader: ObjectReader,
  at: Located | undefined,
  limits: TemplateLimits,
): readonly LetShape[] {
  const taken = new Set<string>();
  return (reader.texts(at, limits.maxLetBindings) ?? []).flatMap((text) => {
    const equals = text.value.indexOf('=');
    const name = text.value.slice(0, Math.max(equals, 0)).trim();
    const expression = text.value.slice(equals + 1).trim();
    const wrong =
      equals === -1
        ? `missing '=' in ${quoteForMessage(text.value)}: write name = expression`
        : expression === ''
          ? `binding ${quoteForMessage(name)} has no expression after '='`
          : nameWrong(name, taken, limits);
    if (wrong !== null) {
      reader.refuse(text.at, wrong);
      return [];
    }
    taken.add(name);
    return { at: text.at, name, expression };
  });
}

function nameWrong(name: string, taken: ReadonlySet<string>, limits: TemplateLimits): string | null {
  if (!LET_NAME.test(name)) {
    return `name ${quoteForMessage(name)} must start with lowercase letter or underscore, and have letters, digits and _ only`;
  }
  if (name.length > limits.maxLetName) {
    return `the name must not have more than ${limits.maxLetName} characters, and has ${name.length}`;
  }
  return taken.has(name) ? `duplicate name ${quoteForMessage(name)}` : null;
}
