import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'tap';
import { EXPRESSIONS } from '../../src/adapters/regex/default-expressions.ts';
import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import type { DocumentNode } from '../../src/openjd/primitives/document.ts';
import { checkTemplate } from '../../src/openjd/template/check-template.ts';
import { templateSchema } from '../../src/openjd/template/schema/template-schema.ts';
import { plainValueOf } from '../openjd/template/plain-value.ts';
import { sharedFolder } from './shared-folder.ts';

const schema = templateSchema();
const OPTIONS = { strict: true, strictTypes: false, strictRequired: false } as const;
const accepts = new Ajv2020(OPTIONS).compile(schema);
// Many editors know draft 7 only, in which the schema has to mean the same.
const acceptsInDraft7 = new Ajv(OPTIONS).compile({
  ...schema,
  $schema: 'http://json-schema.org/draft-07/schema#',
});

const vectorsFolder = sharedFolder('openjd');
const templatesFolder = sharedFolder('templates');

interface Vector {
  readonly id: string;
  readonly kind: string;
  readonly template?: unknown;
  readonly template_text?: string;
  readonly format?: 'yaml' | 'json';
}

/** Minimum share of the invalid templates that the schema rejects: the rest breaks rules that a schema cannot express. */
const REJECTED_SHARE = 0.76;

function documentsOf(vector: Vector): readonly DocumentNode[] {
  const text =
    vector.template_text ?? (vector.template === undefined ? null : JSON.stringify(vector.template));
  if (text === null) return [];
  const read = readDocument(text, vector.template_text === undefined ? 'json' : (vector.format ?? 'yaml'));
  return read.ok ? [read.document] : [];
}

const isValid = (document: DocumentNode): boolean => checkTemplate(document, { expressions: EXPRESSIONS }).ok;

void test(
  'the schema accepts each valid vector, and rejects most invalid ones',
  { skip: vectorsFolder === null ? 'the vectors are not here' : false },
  (t) => {
    const file = `${vectorsFolder}/vectors/template_vectors.json`;
    const vectors = JSON.parse(readFileSync(file, 'utf8')) as readonly Vector[];
    let [valid, invalid, rejected] = [0, 0, 0];
    for (const vector of vectors) {
      for (const document of documentsOf(vector)) {
        const value = plainValueOf(document);
        const isAccepted = accepts(value);
        if (isAccepted !== acceptsInDraft7(value)) t.fail(`${vector.id}: draft 7 means something else`);
        if (isValid(document)) {
          valid++;
          if (!isAccepted) t.fail(`${vector.id}: ${JSON.stringify(accepts.errors)}`);
        } else {
          invalid++;
          if (!isAccepted) rejected++;
        }
      }
    }
    t.comment(`${valid} valid, ${invalid} invalid, of which the schema rejects ${rejected}`);
    t.ok(valid > 100 && invalid > 100, 'there are vectors of both kinds');
    t.ok(rejected / invalid >= REJECTED_SHARE, `${rejected} of ${invalid} invalid templates are rejected`);
    t.end();
  },
);

void test(
  'the schema accepts each real template that the checker accepts',
  { skip: templatesFolder === null ? 'the templates are not here' : false },
  (t) => {
    const index = JSON.parse(readFileSync(`${templatesFolder}/index.json`, 'utf8')) as readonly {
      readonly file: string;
    }[];
    let valid = 0;
    for (const { file } of index) {
      const path = `${templatesFolder}/${file}`;
      if (!existsSync(path)) continue;
      const read = readDocument(readFileSync(path, 'utf8'), file.endsWith('.json') ? 'json' : 'yaml');
      if (!read.ok || !isValid(read.document)) continue;
      valid++;
      if (!accepts(plainValueOf(read.document))) t.fail(`${file}: ${JSON.stringify(accepts.errors)}`);
    }
    t.ok(valid > 10, `${valid} valid templates`);
    t.end();
  },
);
