import { Document, Scalar, visit, type ToStringOptions } from 'yaml';

/**
 * Long lines stay as they are, because a folded text is hard to read in an editor. A quoted text has one line, because the
 * package loses blanks of one with several lines.
 */
const LINES_AS_THEY_ARE = { lineWidth: 0, doubleQuotedAsJSON: true } as const;

/** Returns a value as YAML that is read back to an equal value, with each text on a line of its own. */
export const writeYaml = (value: unknown): string => yamlText(new Document(value));

/** Returns the text of a document, which is read back to an equal value. Texts of blanks only are quoted. */
export function yamlText(document: Document, style: Pick<ToStringOptions, 'blockQuote'> = {}): string {
  visit(document, {
    // The package loses the blanks of a literal block that has nothing else.
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === 'string' && scalar.value.trim() === '') scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ ...LINES_AS_THEY_ARE, ...style });
}
