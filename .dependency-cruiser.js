import { readFileSync } from 'node:fs';

/**
 * Rules about imports between files, types included (`npm run check`, "import rules"). The tables are in import-rules.json: `layers` names
 * each layer with the layers that it may import (docs/architecture.md#layers), and `entryFiles` the files of a folder that may be imported
 * from outside of it. The other files of these folders are private. Tests and benchmarks may import any file.
 */
const { layers, entryFiles } = JSON.parse(
  readFileSync(new URL('import-rules.json', import.meta.url), 'utf8'),
);

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

/** A file directly in a folder: a folder within it has a row of its own. */
const privacyRules = Object.entries(entryFiles).map(([folder, files]) => ({
  name: `private to ${folder}`,
  comment: `Import an entry file of the folder, or move the code. Entry files are listed in import-rules.json.`,
  severity: 'error',
  from: { pathNot: `^(?:${literal(folder)}|test|bench)/` },
  to: {
    path: `^${literal(folder)}/[^/]+$`,
    ...(files.length > 0 && { pathNot: `^${literal(folder)}/(?:${files.map(literal).join('|')})$` }),
  },
}));

/** The order within the language: docs/architecture.md#layers. */
const LANGUAGE = ['src/openjd/template', 'src/openjd/expr', 'src/openjd/primitives'];
const languageRules = LANGUAGE.slice(1).map((folder, at) => ({
  name: `order of ${folder}`,
  comment: 'Template imports expr, and both import primitives: docs/architecture.md#layers.',
  severity: 'error',
  from: { path: `^${folder}/` },
  to: { path: `^(?:${LANGUAGE.slice(0, at + 1).join('|')})/` },
}));

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
    ...languageRules,
    ...privacyRules,
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(node_modules|dist)/' },
  },
};
