/**
 * Filter for the output of tasks on a terminal (docs/commands.md#output-of-tasks). It passes text, tabs, line feeds,
 * carriage returns and, if colors are on, SGR sequences (colors and text attributes). It removes all other control
 * characters and escape sequences: they could change the title or the clipboard, clear the screen, or overwrite what
 * other programs printed.
 *
 * States: `text`; `escape` after ESC; `csi` in a control sequence; `string` in OSC, DCS, APC, PM or SOS, which ends
 * with BEL or ST; `string-escape` after ESC in it. A line feed ends every state, so an unterminated sequence hides at
 * most the rest of its line. The result does not depend on how the text is split into chunks.
 */
type FilterState = 'text' | 'escape' | 'csi' | 'string' | 'string-escape';

const ESC = '\u001b';
const BEL = '\u0007';
/** C1 forms of the introducers of sequences, of the string terminator and of CSI. */
const C1_CSI = '\u009b';
const C1_STRING_END = '\u009c';
const C1_STRINGS = /[\u0090\u0098\u009d-\u009f]/;
/** After ESC: the introducers of strings. */
const STRINGS = /[PX\]^_]/;
/** Parameter bytes and intermediate bytes of a control sequence. */
const CSI_BODY = /[ -?]/;
const CSI_BODY_MAX = 64;
/** Control characters that are removed. */
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
const PLAIN = /[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]+/y;
const SGR = /^[0-9;:]*$/;
/** SGR parameters that hide text, and those that introduce a color in the parameters after them. */
const CONCEAL = 8;
const EXTENDED_COLORS: readonly number[] = [38, 48, 58];

export class TerminalFilter {
  readonly #colors: boolean;
  #state: FilterState = 'text';
  /** Body of the control sequence so far. */
  #body = '';
  #isColored = false;

  /** `colors`: whether SGR sequences are passed. */
  constructor(colors: boolean) {
    this.#colors = colors;
  }

  /** Returns what a terminal may show of the next part of the text. */
  write(text: string): string {
    let shown = '';
    for (let at = 0; at < text.length;) {
      if (this.#state === 'text') {
        PLAIN.lastIndex = at;
        const plain = PLAIN.exec(text)?.[0] ?? '';
        shown += plain;
        at += plain.length;
        if (at === text.length) break;
      }
      shown += this.#accept(text.charAt(at));
      at += 1;
    }
    return shown;
  }

  /** Returns what restores the terminal after the last part: a reset if a color was passed. */
  end(): string {
    const wasColored = this.#isColored;
    this.#isColored = false;
    this.#state = 'text';
    return wasColored ? `${ESC}[0m` : '';
  }

  #accept(char: string): string {
    if (char === '\n') {
      this.#state = 'text';
      return char;
    }
    switch (this.#state) {
      case 'text':
        this.#begin(char);
        return CONTROL.test(char) ? '' : char;
      case 'escape':
        this.#state = 'text';
        if (char === '[') this.#beginCsi();
        else if (STRINGS.test(char)) this.#state = 'string';
        else if (char === ESC || C1_STRINGS.test(char) || char === C1_CSI) this.#begin(char);
        // Sequences such as ESC ( B have intermediate bytes before their final byte.
        else if (/[ -/]/.test(char)) this.#state = 'escape';
        return '';
      case 'csi':
        return this.#acceptCsi(char);
      case 'string':
        if (char === BEL || char === C1_STRING_END) this.#state = 'text';
        else if (char === ESC) this.#state = 'string-escape';
        return '';
      case 'string-escape':
        if (char === '\\') this.#state = 'text';
        else if (char !== ESC) this.#state = 'string';
        return '';
    }
  }

  #begin(char: string): void {
    if (char === ESC) this.#state = 'escape';
    else if (char === C1_CSI) this.#beginCsi();
    else if (C1_STRINGS.test(char)) this.#state = 'string';
  }

  #beginCsi(): void {
    this.#state = 'csi';
    this.#body = '';
  }

  #acceptCsi(char: string): string {
    if (CSI_BODY.test(char) && this.#body.length < CSI_BODY_MAX) {
      this.#body += char;
      return '';
    }
    this.#state = 'text';
    if (char === ESC) this.#state = 'escape';
    if (char !== 'm' || !this.#colors || !isVisibleSgr(this.#body)) return '';
    this.#isColored = true;
    return `${ESC}[${this.#body}m`;
  }
}

/** Reports whether the parameters of an SGR sequence are valid and do not conceal text. */
function isVisibleSgr(body: string): boolean {
  if (!SGR.test(body)) return false;
  const parameters = body.split(';');
  for (let at = 0; at < parameters.length; at += 1) {
    const value = Number((parameters[at] ?? '').split(':')[0]);
    if (value === CONCEAL) return false;
    if (!EXTENDED_COLORS.includes(value)) continue;
    // 38;5;N and 38;2;R;G;B.
    if (parameters[at + 1] === '5') at += 2;
    else if (parameters[at + 1] === '2') at += 4;
  }
  return true;
}
