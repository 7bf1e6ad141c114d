import { paletteColor, type Color, type Style } from './ansi.ts';

/** Appearance of a style: classes of log-view.css, and custom properties for colors without a class. */
export interface AnsiLook {
  readonly className: string;
  readonly properties: Readonly<Record<`--${string}`, string>>;
}

const looks = new WeakMap<Style, AnsiLook>();

/** Returns the appearance of a style; the same object for the same style. */
export function lookOf(style: Style): AnsiLook {
  const known = looks.get(style);
  if (known !== undefined) return known;
  const look = createLook(style);
  looks.set(style, look);
  return look;
}

function createLook(style: Style): AnsiLook {
  const names: string[] = [];
  const properties: Record<`--${string}`, string> = {};
  const { foreground, background, isInverse } = style;
  const front = isInverse ? background : foreground;
  const back = isInverse ? foreground : background;
  if (back !== null) names.push(named('back', back, properties));
  else if (isInverse) names.push('ansi--inverse');
  if (front !== null) names.push(named('front', front, properties));
  // On the page background, colors are adjusted for contrast; on a background from the log, they stay unchanged.
  if (back !== null || isInverse) names.push('ansi--on-ground');
  if (style.isBold) names.push('ansi--bold');
  if (style.isDim) names.push('ansi--dim');
  if (style.isItalic) names.push('ansi--italic');
  if (style.isUnderlined) names.push('ansi--underlined');
  if (style.isStruck) names.push('ansi--struck');
  return { className: names.join(' '), properties };
}

function named(place: 'front' | 'back', color: Color, properties: Record<`--${string}`, string>): string {
  if (typeof color === 'number' && color < 16) return `ansi--${place} ansi--${place}-${color}`;
  properties[`--ansi-${place}`] = typeof color === 'number' ? paletteColor(color) : color;
  return `ansi--${place}`;
}
