import { pathOf, type PathValue } from '../values/value.ts';
import { givenPath, normalPath, styleOf, type FileStyle } from './parsed-path.ts';

/** The path that a text of an expression writes, in its normal form. */
export const pathOfText = (text: string, style: FileStyle): PathValue =>
  pathOf(normalPath(text, style), styleOf(text, style));

/** A path that a parameter, a session or its path mapping gives: as it is written, with a separator at its end where it has one. */
export const pathAsGiven = (text: string, style: FileStyle): PathValue =>
  pathOf(givenPath(text, style), styleOf(text, style));
