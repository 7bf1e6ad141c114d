/**
 * Progress that a task has reported (OpenJD's `openjd_progress` and `openjd_status`). Both fields are absent before the
 * first report.
 */
export interface TaskProgress {
  /** From 0 to 100. */
  readonly progress?: number;
  /** One line; absent when empty. */
  readonly statusMessage?: string;
}

/** Maximum length of a status message, in UTF-16 code units. */
const STATUS_MESSAGE_MAX = 1024;

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const HALF_CHARACTER = /[\ud800-\udbff]$/;

/** Returns a status message on one line, without control characters, cut to `STATUS_MESSAGE_MAX`. */
export const statusLineOf = (text: string): string =>
  text.replace(CONTROL, ' ').trim().slice(0, STATUS_MESSAGE_MAX).replace(HALF_CHARACTER, '');
