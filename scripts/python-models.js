/** Types of the Python client from the schemas of the OpenAPI document: a TypedDict for each object. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stop, root } from './run.js';

const REFERENCE = '#/components/schemas/';
const LINE_MAX = 116;
const PRIMITIVES = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' };

const HEAD = `"""Types of the REST API, made from http/openapi/openapi.yaml by "npm run generate". Do not edit.

Replies are plain dictionaries. A later version of the service may add members and values: ignore unknown ones.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

`;

const capitalized = (name) => name.replaceAll(/(?:^|_)([a-z])/g, (_match, letter) => letter.toUpperCase());

/** Returns a text as the lines of a doc string. */
function docLines(text, indent) {
  const words = text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").split(/\s+/);
  const lines = [];
  let line = `${indent}"""`;
  for (const word of words) {
    const isFirst = line.endsWith('"""') || line.trim() === '';
    if (!isFirst && line.length + 1 + word.length > LINE_MAX) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line += isFirst ? word : ` ${word}`;
  }
  if (line.length + 3 > LINE_MAX) return [...lines, line, `${indent}"""`];
  return [...lines, `${line}${line.endsWith('"') ? ' ' : ''}"""`];
}

/** The keywords of Python, which a class cannot have as names of its members. */
const KEYWORDS = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if import in is
  lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
);

/** Makes the classes of all schemas; a class comes after those that it extends. */
class Models {
  constructor(schemas) {
    this.schemas = schemas;
    this.texts = new Map();
    this.pending = new Set();
  }

  /** Returns the type of a schema. `name` is that of the class, if it is an object without a name of its own. */
  typeOf(schema, name) {
    if (schema.$ref !== undefined) return this.referenced(schema.$ref);
    if (schema.const !== undefined) return `Literal[${JSON.stringify(schema.const)}]`;
    if (schema.enum !== undefined) return this.literal(schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices !== undefined)
      return this.union(choices.map((each, at) => this.typeOf(each, `${name}${at + 1}`)));
    if (schema.allOf !== undefined || schema.properties !== undefined) {
      this.defineObject(name, schema);
      return name;
    }
    if (Array.isArray(schema.type))
      return this.union(schema.type.map((type) => this.typeOf({ ...schema, type }, name)));
    if (schema.type === 'array') return `List[${this.typeOf(schema.items ?? {}, `${name}Item`)}]`;
    if (schema.type === 'object') {
      const { additionalProperties: values } = schema;
      return `Dict[str, ${typeof values === 'object' ? this.typeOf(values, `${name}Value`) : 'Any'}]`;
    }
    return PRIMITIVES[schema.type] ?? 'Any';
  }

  literal(values) {
    const others = values.filter((value) => value !== null);
    const literal = `Literal[${others.map((value) => JSON.stringify(value)).join(', ')}]`;
    return others.length === values.length ? literal : `Optional[${literal}]`;
  }

  union(types) {
    const others = [...new Set(types.filter((type) => type !== 'None'))];
    const [only] = others;
    const union = others.length === 1 ? only : `Union[${others.join(', ')}]`;
    return others.length === types.length ? union : `Optional[${union}]`;
  }

  referenced(reference) {
    if (!reference.startsWith(REFERENCE)) throw new Stop(`${reference} is not a schema of the document.`);
    const name = reference.slice(REFERENCE.length);
    this.define(name);
    return name;
  }

  define(name) {
    if (this.texts.has(name) || this.pending.has(name)) return;
    const schema = this.schemas[name];
    if (schema === undefined) throw new Stop(`There is no schema ${name}.`);
    const isObject = schema.allOf !== undefined || schema.properties !== undefined;
    this.pending.add(name);
    if (isObject) this.defineObject(name, schema);
    else this.texts.set(name, `${name} = ${this.typeOf(schema, name)}\n`);
    this.pending.delete(name);
  }

  defineObject(name, schema) {
    const parts = this.partsOf(schema);
    const bases = parts.filter((part) => part.$ref !== undefined).map((part) => this.referenced(part.$ref));
    const own = parts.filter((part) => part.$ref === undefined);
    const required = new Set(own.flatMap((part) => part.required ?? []));
    const all = own.flatMap((part) => Object.entries(part.properties ?? {}));
    const keywords = all.filter(([key]) => KEYWORDS.has(key));
    if (keywords.length > 0) bases.push(this.keywordBase(name, keywords, required));
    const members = all.filter(([key]) => !KEYWORDS.has(key));
    const needed = members.filter(([key]) => required.has(key));
    const optional = members.filter(([key]) => !required.has(key));
    const doc = docLines(schema.description ?? `The schema ${name}.`, '    ');
    const classText = (title, parents, list, options) =>
      `class ${title}(${[...(parents.length === 0 ? ['TypedDict'] : parents), ...options].join(', ')}):\n` +
      `${doc.join('\n')}\n${list.length === 0 ? '' : '\n'}${list.map(([key, value]) => this.memberText(name, key, value)).join('')}`;
    const isSplit = needed.length > 0 && optional.length > 0;
    const text = isSplit
      ? `${classText(`_${name}Required`, bases, needed, [])}\n\n${classText(name, [`_${name}Required`], optional, ['total=False'])}`
      : classText(name, bases, members, optional.length > 0 ? ['total=False'] : []);
    this.texts.set(name, text);
  }

  /** Defines a base for the members whose names are keywords, which the syntax of classes does not accept. Returns its name. */
  keywordBase(owner, members, required) {
    const base = `_${owner}Keywords`;
    const isRequired = members.every(([key]) => required.has(key));
    if (!isRequired && members.some(([key]) => required.has(key)))
      throw new Stop(`${owner} has required and optional members whose names are keywords of Python.`);
    const types = members.map(
      ([key, schema]) => `"${key}": "${this.typeOf(schema, `${owner}${capitalized(key)}`)}"`,
    );
    const options = isRequired ? '' : ', total=False';
    this.texts.set(base, `${base} = TypedDict("${base}", {${types.join(', ')}}${options})\n`);
    return base;
  }

  /**
   * Returns the parts of an object, of which those with a name become its bases. A TypedDict cannot change a member of its
   * bases: an object that does so has all members itself.
   */
  partsOf(schema) {
    const parts = schema.allOf ?? [schema];
    const keysOf = (part) => Object.keys(part.properties ?? {});
    const own = new Set(parts.filter((part) => part.$ref === undefined).flatMap(keysOf));
    const flat = parts.flatMap((part) => (part.$ref === undefined ? [part] : this.flatParts(part.$ref)));
    const inherited = flat.filter((part) => !parts.includes(part)).flatMap(keysOf);
    if (!inherited.some((key) => own.has(key))) return parts;
    const properties = Object.assign({}, ...flat.map((part) => part.properties ?? {}));
    return [{ properties, required: flat.flatMap((part) => part.required ?? []) }];
  }

  flatParts(reference) {
    const schema = this.schemas[reference.slice(REFERENCE.length)];
    const parts = schema.allOf ?? [schema];
    return parts.flatMap((part) => (part.$ref === undefined ? [part] : this.flatParts(part.$ref)));
  }

  memberText(owner, key, schema) {
    if (!/^[A-Za-z_]\w*$/.test(key)) throw new Stop(`The member ${key} of ${owner} is not a name in Python.`);
    const type = this.typeOf(schema, `${owner}${capitalized(key)}`);
    const doc =
      schema.description === undefined ? '' : `${docLines(schema.description, '    ').join('\n')}\n`;
    return `    ${key}: ${type}\n${doc}`;
  }

  text() {
    for (const name of Object.keys(this.schemas)) this.define(name);
    const names = [...this.texts.keys()].filter((name) => !name.startsWith('_')).sort();
    const exported = `__all__ = [\n${names.map((name) => `    "${name}",\n`).join('')}]\n`;
    return `${HEAD}${exported}\n\n${[...this.texts.values()].join('\n\n')}`;
  }
}

/** Returns the module of the types, from the document that the build has made of the contract. */
export function pythonModels() {
  const text = readFileSync(join(root, 'dist/http/openapi/openapi.json'), 'utf8');
  // The first line is the hash of the contract.
  const document = JSON.parse(text.slice(text.indexOf('\n')));
  return new Models(document.components.schemas).text();
}
