import { ExprFailure } from '../expr-failure.ts';
import { nameWithNumber } from '../paths/frame-number.ts';
import { joinPaths, pathFromParts } from '../paths/joined-path.ts';
import { parsePath, pathText, styleOf, type ParsedPath } from '../paths/parsed-path.ts';
import {
  countParts,
  nameOf,
  occurrences,
  parentOf,
  partsOf,
  renamed,
  splitName,
  suffixesOf,
} from '../paths/path-components.ts';
import { pathAsGiven, pathOfText } from '../paths/path-value.ts';
import { isAbsolutePath, isRelativeTo, relativeTo } from '../paths/related-paths.ts';
import { nameless, withName, withStem, withSuffix } from '../paths/renamed-path.ts';
import { listType, STRING } from '../type-system/expr-type.ts';
import { intValue, listValue, pathValue, textOf } from '../values/arguments.ts';
import {
  listBytes,
  listOfType,
  pathOf,
  stringBytes,
  type ListValue,
  type PathValue,
  type Value,
} from '../values/value.ts';
import type { Call } from './call.ts';
import { signature, type FunctionGroup, type Run } from './signature.ts';

const LIST_OF_STRINGS = listType(STRING);

/** Steps per character to parse a path. */
const PATH_STEPS = 4;

function chargePath(call: Call, units: number): void {
  call.chargeText(units);
  call.chargeSteps(units * PATH_STEPS);
}

/** Returns a path of the evaluation, or a URI, from its normal form. */
const pathIn = (call: Call, text: string): PathValue => pathOf(text, styleOf(text, call.pathStyle));

/** Returns a function of one path, charged by its text. */
const onPath =
  (run: (path: ParsedPath, call: Call) => Value): Run =>
  (call, value) => {
    const { text } = pathValue(value);
    chargePath(call, text.length);
    return run(parsePath(text, call.pathStyle), call);
  };

/** Returns a function of a path and a text with a path as its result, charged by both. */
const withText =
  (run: (path: ParsedPath, text: string, call: Call) => ParsedPath): Run =>
  (call, value, argument) => {
    const { text: path } = pathValue(value);
    const text = textOf(argument);
    chargePath(call, path.length + text.length);
    return pathIn(call, pathText(run(parsePath(path, call.pathStyle), text, call)));
  };

/** Returns a function of two paths, charged by both. */
const onPaths =
  (run: (path: ParsedPath, other: ParsedPath, call: Call) => Value): Run =>
  (call, a, b) => {
    const [{ text: path }, { text: other }] = [pathValue(a), pathValue(b)];
    chargePath(call, path.length + other.length);
    return run(parsePath(path, call.pathStyle), parsePath(other, call.pathStyle), call);
  };

function parts(path: ParsedPath, call: Call): ListValue {
  const units = path.drive.length + path.root.length + (path.tail?.length ?? 0);
  call.reserve(listBytes(countParts(path)) + stringBytes(units));
  return listOfType(LIST_OF_STRINGS, partsOf(path));
}

function suffixes(path: ParsedPath, call: Call): ListValue {
  const name = nameOf(path);
  call.reserve(listBytes(occurrences(name, '.')) + stringBytes(name.length));
  return listOfType(LIST_OF_STRINGS, suffixesOf(name));
}

const join = (call: Call, path: string, child: string): PathValue => {
  chargePath(call, path.length + child.length);
  return pathIn(call, joinPaths(path, child, call.pathStyle));
};

const append = (call: Call, path: string, suffix: string): PathValue => {
  chargePath(call, path.length + suffix.length);
  call.reserveString(path.length + suffix.length);
  return pathOfText(path + suffix, call.pathStyle);
};

const fromText: Run = (call, value) => {
  const text = textOf(value);
  chargePath(call, text.length);
  return pathOfText(text, call.pathStyle);
};

const fromParts: Run = (call, value) => {
  const texts = listValue(value).items.map(textOf);
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  call.charge(texts.length);
  chargePath(call, units);
  call.reserveString(units + texts.length);
  return pathIn(call, pathFromParts(texts, call.pathStyle));
};

const numberedPath: Run = (call, value, number) => {
  const { text } = pathValue(value);
  chargePath(call, text.length);
  const path = parsePath(text, call.pathStyle);
  const name = nameOf(path);
  if (name === '') throw nameless(path, 'with_number');
  return pathIn(call, pathText(renamed(path, nameWithNumber(name, intValue(number)))));
};

/** The rest of the text is not changed. */
const numberedText: Run = (call, value, number) => {
  const text = textOf(value);
  chargePath(call, text.length);
  const backslash = styleOf(text, call.pathStyle) === 'windows' ? text.lastIndexOf('\\') : -1;
  const start = Math.max(text.lastIndexOf('/'), backslash) + 1;
  if (start === text.length) throw new ExprFailure(`with_number: '${text}' has an empty name`);
  return text.slice(0, start) + nameWithNumber(text.slice(start), intValue(number));
};

/** Properties, operators and functions of paths (sections 2.1.5, 2.3.1 and 2.3.2). */
export const PATHS: FunctionGroup = {
  title: 'Paths',
  hostOnly: false,
  signatures: [
    signature(
      '__property_name__(p: path) -> string',
      'The last component: the name of the file with its suffix.',
      onPath(nameOf),
    ),
    signature(
      '__property_stem__(p: path) -> string',
      'The last component without its last suffix.',
      onPath((path) => splitName(nameOf(path)).stem),
    ),
    signature(
      '__property_suffix__(p: path) -> string',
      'The last suffix with its dot, or an empty string.',
      onPath((path) => splitName(nameOf(path)).suffix),
    ),
    signature(
      '__property_suffixes__(p: path) -> list[string]',
      'All suffixes, each with its dot.',
      onPath(suffixes),
    ),
    signature(
      '__property_parent__(p: path) -> path',
      'The path without its last component.',
      onPath((path, call) => pathIn(call, pathText(parentOf(path)))),
    ),
    signature(
      '__property_parts__(p: path) -> list[string]',
      'The components; a root, a drive, or scheme and authority of a URI is the first one.',
      onPath(parts),
    ),
    signature(
      '__truediv__(p: path, child: string) -> path',
      'The child below the path; an absolute child replaces the path.',
      (call, path, child) => join(call, pathValue(path).text, textOf(child)),
    ),
    signature(
      '__truediv__(p: path, child: path) -> path',
      'The child below the path; an absolute child replaces the path.',
      (call, path, child) => join(call, pathValue(path).text, pathValue(child).text),
    ),
    signature(
      '__add__(p: path, suffix: string) -> path',
      'The path with the text behind its last component, without a separator.',
      (call, path, suffix) => append(call, pathValue(path).text, textOf(suffix)),
    ),
    signature('path(s: string) -> path', 'The path that the text writes, in its normal form.', fromText),
    signature(
      'path(parts: list[string]) -> path',
      'The path of the components, each below the ones before it.',
      fromParts,
    ),
    signature(
      'with_name(p: path, name: string) -> path',
      'The path with another last component.',
      withText((path, name) => withName(path, name)),
    ),
    signature(
      'with_stem(p: path, stem: string) -> path',
      'The path with another stem and the same suffix.',
      withText(withStem),
    ),
    signature(
      'with_suffix(p: path, suffix: string) -> path',
      'The path with another last suffix, or with an empty text without it.',
      withText(withSuffix),
    ),
    signature(
      'with_number(p: path, num: int) -> path',
      'The path with the frame number of its name replaced: the last `%04d`, `####` or run of digits before the suffix, else `_NNNN` is added.',
      numberedPath,
    ),
    signature(
      'with_number(s: string, num: int) -> string',
      'The text with the frame number of its last component replaced, as for a path.',
      numberedText,
    ),
    signature(
      'as_posix(p: path) -> string',
      'The path as text with forward slashes.',
      onPath((path) => (path.style === 'windows' ? pathText(path).replaceAll('\\', '/') : pathText(path))),
    ),
    signature(
      'is_absolute(p: path) -> bool',
      'True if the path is absolute; a URI always is.',
      onPath(isAbsolutePath),
    ),
    signature(
      'is_relative_to(p: path, other: path) -> bool',
      'True if the path is the other one or below it.',
      onPaths(isRelativeTo),
    ),
    signature(
      'relative_to(p: path, other: path) -> path',
      'The path relative to the other one; fails if it is not below it.',
      onPaths((path, other, call) => pathIn(call, pathText(relativeTo(path, other, call.pathStyle)))),
    ),
  ],
};

/** Functions of host contexts (section 2.3.2). */
export const PATH_MAPPING: FunctionGroup = {
  title: 'Path mapping',
  hostOnly: true,
  signatures: [
    signature(
      'apply_path_mapping(s: string) -> path',
      'The path where this host finds a path of another one, by the path mapping rules of the session.',
      (call, value) => {
        const text = textOf(value);
        chargePath(call, text.length);
        if (call.mapPath === null) throw new Error('a function of the host without its path mapping');
        const mapped = call.mapPath(text);
        call.reserveString(mapped.length);
        return pathAsGiven(mapped, call.pathStyle);
      },
    ),
  ],
};
