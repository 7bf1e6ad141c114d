import { readFileSync } from 'node:fs';

/**
 * Rules about imports between files, types included (`npm run check`, "import rules"). The tables are in import-rules.json: `layers` names
 * each layer with the layers that it may import (docs/architecture.md#layers).
 */
const { layers } = JSON.parse(readFileSync(new URL('import-rules.json', import.meta.url), 'utf8'));

const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches the files of a layer, but not those of a layer within it, such as client/package within client. */
const filesOf = (layer) => {
  const within = Object.keys(layers).filter((other) => other.startsWith(`${layer}/`));
  const others = within.map((other) => `(?!${literal(other.slice(layer.length + 1))}/)`);
  return `${literal(layer)}/${others.join('')}`;
};
const filesOfAny = (names) => `^(?:${names.map(filesOf).join('|')})`;

const layerRules = Object.entries(layers).flatMap(([layer, lower]) => {
  const forbidden = Object.keys(layers).filter((other) => other !== layer && !lower.includes(other));
  return forbidden.length === 0
    ? []
    : [
        {
          name: `layer ${layer}`,
          comment: 'An import points to the same layer or to one below it: docs/architecture.md#layers.',
          severity: 'error',
          from: { path: filesOfAny([layer]) },
          to: { path: filesOfAny(forbidden) },
        },
      ];
});

export default {
  forbidden: [
    {
      name: 'no cycles',
      comment: 'Move what both files need to a file of its own. A cycle of types alone counts, too.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...layerRules,
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(node_modules|dist)/' },
  },
};
