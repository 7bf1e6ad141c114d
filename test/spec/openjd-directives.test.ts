import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { LOG_LEVELS, readLine, type Directive } from '../../actors/agent/session/directives.ts';
import { Redactor } from '../../actors/agent/session/redaction.ts';
import { sharedFolder } from './shared-folder.ts';

const folder = sharedFolder('openjd');
const skip = folder === null ? 'the vectors are not here' : false;

interface Callback {
  readonly kind: string;
  readonly name?: string;
  readonly value?: string | number;
  readonly error?: string;
  readonly cancel?: boolean;
}

interface DirectiveVector {
  readonly id: string;
  readonly redacted_env_vars_extension: boolean;
  readonly steps: readonly {
    readonly line: string;
    /** Absent: the default of the filter. */
    readonly session?: string;
    readonly callbacks: readonly Callback[];
    readonly log_line: string;
  }[];
}

/** Levels are multiples of ten, from 10. */
const LEVEL_STEP = 10;

/** Expected result of the vectors for a directive. */
function callbacksOf(directive: Directive | null, hasExtension: boolean): readonly Callback[] {
  switch (directive?.kind) {
    case undefined:
    case 'bad-progress':
    case 'output':
    case 'bad-output':
      return [];
    case 'progress':
      return [{ kind: 'Progress', value: directive.percent }];
    case 'status':
      return [{ kind: 'Status', value: directive.text }];
    case 'fail':
      return [{ kind: 'Fail', value: directive.text }];
    case 'level': {
      const value = (LOG_LEVELS.indexOf(directive.level) + 1) * LEVEL_STEP;
      return [{ kind: 'SessionRuntimeLoglevel', value }];
    }
    case 'set':
      return [{ kind: 'Env', name: directive.name, value: directive.value }];
    case 'unset':
      return [{ kind: 'UnsetEnv', value: directive.name }];
    case 'redacted':
      return hasExtension ? [{ kind: 'RedactedEnv', name: directive.name, value: directive.value }] : [];
    case 'bad-redacted':
      return hasExtension ? [] : [{ kind: 'Env', error: directive.reason, cancel: true }];
    case 'malformed':
      return [{ kind: '', error: directive.reason, cancel: true }];
  }
}

/** The vectors distinguish malformed lines by how far they were parsed, which has no effect here. */
const withoutKind = (callback: Callback): Callback =>
  callback.error === undefined ? callback : { ...callback, kind: '' };

void test('lines are parsed and logged as in the vectors', { skip }, (t) => {
  const vectors = JSON.parse(
    readFileSync(`${folder}/vectors/directive_vectors.json`, 'utf8'),
  ) as readonly DirectiveVector[];
  t.ok(vectors.length > 0);
  for (const { id, redacted_env_vars_extension: hasExtension, steps } of vectors) {
    const redactor = new Redactor();
    for (const { line, session, callbacks, log_line: logged } of steps) {
      // A session reads only its own processes: lines of other sessions cannot occur.
      if (session !== undefined) continue;
      const read = readLine(line, false, redactor);
      t.same(callbacksOf(read.directive, hasExtension).map(withoutKind), callbacks.map(withoutKind), id);
      t.equal(read.logged, logged, id);
    }
  }
  t.end();
});
