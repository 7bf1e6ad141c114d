/** What a task has said of how far it is (OpenJD's `openjd_progress` and `openjd_status`). Both are absent when it has said nothing. */
export interface TaskProgress {
  /** From 0 to 100. */
  readonly progress?: number;
  /** One line; absent when empty. */
  readonly statusMessage?: string;
}

/** UTF-16 code units of a status message that are kept. */
const STATUS_MESSAGE_MAX = 1024;

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const HALF_CHARACTER = /[\ud800-\udbff]$/;

/** A status message as it is told: on one line, without control characters, at most `STATUS_MESSAGE_MAX` long. */
export const statusLineOf = (text: string): string =>
  text.replace(CONTROL, ' ').trim().slice(0, STATUS_MESSAGE_MAX).replace(HALF_CHARACTER, '');
