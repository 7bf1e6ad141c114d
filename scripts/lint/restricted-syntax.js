/**
 * Lint rule `syntax/restricted`: reports each node that a selector matches, with its message. Options are objects
 * `{ selector, message }`. The linter has no rule of its own with selectors.
 */
const restricted = {
  meta: {
    schema: {
      type: 'array',
      items: {
        type: 'object',
        properties: { selector: { type: 'string' }, message: { type: 'string' } },
        required: ['selector', 'message'],
        additionalProperties: false,
      },
    },
  },
  create(context) {
    return Object.fromEntries(
      context.options.map(({ selector, message }) => [selector, (node) => context.report({ node, message })]),
    );
  },
};

export default { meta: { name: 'syntax' }, rules: { restricted } };
