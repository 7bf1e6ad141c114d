/** Braces that would be parsed as an interpolation. A single brace counts if it is next to those of another escape. */
const BRACES = /\{\{|\}\}|\{(?=\}\})/g;

/** Returns the format string with expressions that resolves to the text: `{{` and `}}` are written as expressions. */
export const escapedText = (text: string): string =>
  text.replace(BRACES, (braces) => (braces === '}}' ? '{{ "}" + "}" }}' : `{{ "${braces}" }}`));
