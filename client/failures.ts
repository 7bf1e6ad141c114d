export { ERROR_LINE_SOURCE, errorLineOf, failureKeyOf } from '../src/core/failure/error-line.ts';
