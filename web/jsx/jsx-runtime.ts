/**
 * The JSX functions of React, with one difference: bidirectional controls in shown text become visible as their code, as
 * on the command line. Names that differ only in them must differ on the screen, and must not reorder the text around
 * them. The build selects this module (vite.config.js), so that no page can forget it.
 */

import { Fragment as ReactFragment, jsx as createOne, jsxs as createMany } from 'react/jsx-runtime';
import { showDirections } from '../../src/core/escaped-text.ts';

export const Fragment = ReactFragment;

export const jsx: typeof createOne = (type, props, key) => createOne(type, shownProps(type, props), key);

export const jsxs: typeof createMany = (type, props, key) => createMany(type, shownProps(type, props), key);

/** Attributes of elements that browsers show or read aloud. The value of a field is data and stays as it is. */
const SHOWN_ATTRIBUTES = ['title', 'aria-label', 'alt', 'placeholder'] as const;

/** Returns props whose text children, and for elements of the document also the shown attributes, are escaped. */
export function shownProps(type: unknown, props: unknown): unknown {
  if (typeof props !== 'object' || props === null) return props;
  const names = typeof type === 'string' ? ['children', ...SHOWN_ATTRIBUTES] : ['children'];
  const changed = Object.entries(props)
    .filter(([name]) => names.includes(name))
    .map(([name, value]: readonly [string, unknown]) => [name, value, shown(value)] as const)
    .filter(([, before, after]) => before !== after);
  return changed.length === 0
    ? props
    : { ...props, ...Object.fromEntries(changed.map(([name, , after]) => [name, after])) };
}

function shown(value: unknown): unknown {
  if (typeof value === 'string') return showDirections(value);
  if (!Array.isArray(value)) return value;
  const items = value.map((item: unknown) => (typeof item === 'string' ? showDirections(item) : item));
  return items.some((item, at) => item !== value[at]) ? items : value;
}
