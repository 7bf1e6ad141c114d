/**
 * Lint rules that the linter lacks.
 *
 * - `syntax/restricted` reports each node that a selector matches. Options are objects `{ selector, message }`.
 * - `syntax/imports` reports static imports whose source a regular expression matches. Options are objects
 *   `{ regex, message, allowTypeImports? }`. The linter's own rule ignores patterns with lookaheads.
 */
const text = { type: 'string' };

const options = (properties, required) => ({
  type: 'array',
  items: { type: 'object', properties, required, additionalProperties: false },
});

const restricted = {
  meta: { schema: options({ selector: text, message: text }, ['selector', 'message']) },
  create(context) {
    return Object.fromEntries(
      context.options.map(({ selector, message }) => [selector, (node) => context.report({ node, message })]),
    );
  },
};

const isTypeOnly = ({ importKind, exportKind, specifiers = [] }) =>
  importKind === 'type' ||
  exportKind === 'type' ||
  (specifiers.length > 0 &&
    specifiers.every((each) => each.importKind === 'type' || each.exportKind === 'type'));

const imports = {
  meta: {
    schema: options({ regex: text, message: text, allowTypeImports: { type: 'boolean' } }, [
      'regex',
      'message',
    ]),
  },
  create(context) {
    const patterns = context.options.map(({ regex, ...others }) => ({ ...others, regex: new RegExp(regex) }));
    const check = (node) => {
      const source = node.source?.value;
      if (typeof source !== 'string') return;
      for (const { regex, message, allowTypeImports = false } of patterns)
        if (regex.test(source) && !(allowTypeImports && isTypeOnly(node))) context.report({ node, message });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

export default { meta: { name: 'syntax' }, rules: { restricted, imports } };
