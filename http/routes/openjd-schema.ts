import { templateSchema } from '../../src/openjd/template/schema/template-schema.ts';
import type { Handler } from './operation.ts';

let text: string | null = null;

/** The schema is made at the first request: it is the same in each. */
export const getOpenjdSchema: Handler<'getOpenjdSchema'> = () => {
  text ??= JSON.stringify(templateSchema());
  return { kind: 'text', contentType: 'application/schema+json', text };
};
