import { pathOf, type PathValue } from '../values/value.ts';
import { givenPath, normalPath, styleOf, type FileStyle } from './parsed-path.ts';

/** Returns the path of a text in an expression, in its normal form. */
export const pathOfText = (text: string, style: FileStyle): PathValue =>
  pathOf(normalPath(text, style), styleOf(text, style));

/** Returns a path from a parameter, a session or its path mapping, as given, including a separator at its end. */
export const pathAsGiven = (text: string, style: FileStyle): PathValue =>
  pathOf(givenPath(text, style), styleOf(text, style));
