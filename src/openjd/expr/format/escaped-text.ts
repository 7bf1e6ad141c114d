/** What would be taken for braces of an interpolation: a single one counts where it would meet those of another escape. */
const BRACES = /\{\{|\}\}|\{(?=\}\})/g;

/** The format string with expressions that resolves to the text: `{{` and `}}` are written as expressions. */
export const escapedText = (text: string): string =>
  text.replace(BRACES, (braces) => (braces === '}}' ? '{{ "}" + "}" }}' : `{{ "${braces}" }}`));
