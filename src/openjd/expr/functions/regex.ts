import { ExprFailure } from '../expr-failure.ts';
import type { Regex, RegexMatch } from '../regex/regex-engine.ts';
import { translatePattern } from '../regex/pattern.ts';
import { widthAt } from '../text/code-points.ts';
import { listType, STRING } from '../type-system/expr-type.ts';
import { countOf, textOf } from '../values/arguments.ts';
import { listBytes, listOfType, stringBytes, type ListValue, type Value } from '../values/value.ts';
import type { Call } from './call.ts';
import { chargeCharacters } from './charges.ts';
import { signature, type FunctionGroup, type Signature } from './signature.ts';
import { GrowingList } from './string-split.ts';

const LIST_OF_STRING = listType(STRING);
const LIST_OF_LISTS = listType(LIST_OF_STRING);

/**
 * Steps to compile a pattern, in addition to one per byte of the compiled pattern, and per character that the engine
 * reads.
 */
const COMPILE_STEPS = 512;
const STEPS_TO_READ = 3;

/** Steps per escaped character. */
const ESCAPE_STEPS = 4;

/** Maximum number of pieces of a text before they are joined: more would take more memory than the text. */
const MAX_PIECES = 1024;

/** `\1`, `\g<1>`, `$1` and `${1}`: group references of Python and Rust. */
const GROUP_REFERENCE = /\\\d|\\g<|\$\d|\$\{\d+\}/;
const METACHARACTERS = /[\\.+*?()|[\]{}^$#&~-]/g;

/** Returns the compiled pattern: an evaluation compiles and charges each pattern once. */
function regexOf(call: Call, pattern: string): Regex {
  const known = call.regexes.get(pattern);
  if (known !== undefined) return known;
  const { source, bytes } = translatePattern(pattern);
  call.chargeSteps(COMPILE_STEPS + bytes + source.length * STEPS_TO_READ);
  const compiled = call.regex.compile(source);
  if (!compiled.ok) throw new ExprFailure(`Invalid regex pattern: ${compiled.detail}`);
  call.regexes.set(pattern, compiled.value);
  return compiled.value;
}

/** Returns the first match at or after an offset. */
function nextMatch(
  call: Call,
  regex: Regex,
  text: string,
  from: number,
  anchored = false,
): RegexMatch | null {
  return regex.match(text, from, anchored, (instructions) => {
    call.chargeSteps(instructions);
  });
}

/** Yields all matches that do not overlap. An empty match at the end of the previous one is skipped. */
function* allMatches(call: Call, regex: Regex, text: string): Generator<RegexMatch, void> {
  let from = 0;
  let end = -1;
  while (from <= text.length) {
    const match = nextMatch(call, regex, text, from);
    if (match === null) return;
    const empty = match.start === match.end;
    from = empty && match.end < text.length ? match.end + widthAt(text, match.end) : match.end;
    if (empty && match.end === text.length) from = text.length + 1;
    if (empty && match.end === end) continue;
    end = match.end;
    yield match;
  }
}

const textOfMatch = (text: string, match: RegexMatch): string => text.slice(match.start, match.end);

/** Returns the whole match, then its groups; an empty string for a group that did not participate. */
function groupsOf(call: Call, text: string, match: RegexMatch): ListValue {
  const list = new GrowingList(call);
  list.add(textOfMatch(text, match));
  for (const group of match.groups) list.add(group ?? '');
  return list.toList();
}

const searching = (name: string, doc: string, anchored: boolean): Signature =>
  signature(`${name}(s: string, pattern: string) -> list[string]?`, doc, (call, s, pattern) => {
    const text = textOf(s);
    call.chargeText(text.length);
    const match = nextMatch(call, regexOf(call, textOf(pattern)), text, 0, anchored);
    return match === null ? null : groupsOf(call, text, match);
  });

function found(call: Call, text: string, regex: Regex): Value {
  if (regex.groups > 1) return foundGroups(call, text, regex);
  const list = new GrowingList(call);
  for (const match of allMatches(call, regex, text)) {
    list.add(regex.groups === 0 ? textOfMatch(text, match) : (match.groups[0] ?? ''));
  }
  return list.toList();
}

function foundGroups(call: Call, text: string, regex: Regex): Value {
  const items: ListValue[] = [];
  let bytes = listBytes(0);
  for (const match of allMatches(call, regex, text)) {
    const groups = match.groups.map((group) => group ?? '');
    bytes += groups.reduce((sum, group) => sum + stringBytes(group.length), listBytes(0));
    call.charge(1 + groups.length);
    call.reserve(bytes);
    items.push(listOfType(LIST_OF_STRING, groups));
  }
  return listOfType(LIST_OF_LISTS, items);
}

function substituted(call: Call, text: string, regex: Regex, by: string): string {
  let done = '';
  let pieces: string[] = [];
  let end = 0;
  let units = text.length;
  for (const match of allMatches(call, regex, text)) {
    units += by.length - (match.end - match.start);
    call.charge(1);
    call.reserveString(Math.max(units, text.length));
    pieces.push(text.slice(end, match.start), by);
    end = match.end;
    if (pieces.length >= MAX_PIECES) {
      done += pieces.join('');
      pieces = [];
    }
  }
  call.chargeText(Math.max(0, units - text.length));
  return done + pieces.join('') + text.slice(end);
}

/** Splits at most `maxsplit` times: 0 means at every match, a negative number at none, as in Python's `re.split`. */
function splitBy(call: Call, text: string, regex: Regex, maxsplit: number): Value {
  const list = new GrowingList(call);
  let end = 0;
  let left = maxsplit === 0 ? Number.POSITIVE_INFINITY : maxsplit;
  if (left > 0) {
    for (const match of allMatches(call, regex, text)) {
      list.add(text.slice(end, match.start));
      end = match.end;
      left -= 1;
      if (left === 0) break;
    }
  }
  list.add(text.slice(end));
  return list.toList();
}

/** Specification "Expression Language", section 2.2.5. */
export const REGEX: FunctionGroup = {
  title: 'Regular expression functions',
  hostOnly: false,
  signatures: [
    searching('re_match', 'The match at the start of the string and its groups, or null.', true),
    searching('re_search', 'The first match in the string and its groups, or null.', false),
    signature(
      're_findall(s: string, pattern: string) -> list[string] | list[list[string]]',
      'All matches that do not overlap: the matches, with one group what it matched, with several the list of what they matched.',
      (call, s, pattern) => {
        const text = textOf(s);
        call.chargeText(text.length);
        return found(call, text, regexOf(call, textOf(pattern)));
      },
    ),
    signature(
      're_sub(s: string, pattern: string, repl: string) -> string',
      'Replaces all matches with a literal text; references to groups in it are errors.',
      (call, s, pattern, repl) => {
        const text = textOf(s);
        call.chargeText(text.length);
        const by = textOf(repl);
        const regex = regexOf(call, textOf(pattern));
        if (GROUP_REFERENCE.test(by)) {
          throw new ExprFailure('Group references in replacement strings are not supported');
        }
        return substituted(call, text, regex, by);
      },
    ),
    signature(
      're_escape(s: string) -> string',
      'Escapes the characters that mean something in a pattern.',
      (call, s) => {
        const text = textOf(s);
        chargeCharacters(call, text, ESCAPE_STEPS);
        return text.replace(METACHARACTERS, '\\$&');
      },
    ),
    signature(
      're_split(s: string, pattern: string) -> list[string]',
      'Splits at each match; groups of the pattern are not elements.',
      (call, s, pattern) => {
        const text = textOf(s);
        call.chargeText(text.length);
        return splitBy(call, text, regexOf(call, textOf(pattern)), 0);
      },
    ),
    signature(
      're_split(s: string, pattern: string, maxsplit: int) -> list[string]',
      'Splits at matches, at most `maxsplit` times; 0 means at every match, a negative number at none.',
      (call, s, pattern, maxsplit) => {
        const text = textOf(s);
        call.chargeText(text.length);
        return splitBy(call, text, regexOf(call, textOf(pattern)), countOf(maxsplit));
      },
    ),
  ],
};
